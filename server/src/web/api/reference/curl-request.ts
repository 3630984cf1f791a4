import { originPlaceholder } from './origin.ts';

export interface CurlRequest {
  method: string;
  path: string;
  body?: string;
  prefer?: string;
  isKeyed?: true;
}

/** Calls that a session cannot make: they return a key's events or make its tokens. A test checks this list. */
export const keysOnly: readonly string[] = ['GET /events', 'POST /client-tokens'];

const prefix = '/api/v1';

/** Reads the curl call to our API from a sample; undefined for other addresses and calls with a placeholder. */
export function readCurlRequest(code: string): CurlRequest | undefined {
  const begins = code.search(/^curl /m);
  const words = begins === -1 ? [] : wordsOf(code.slice(begins));
  const request: Partial<CurlRequest> = {};
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-X') request.method = next;
    else if (word === '-d') request.body = next;
    else if (word === '-H') readHeader(next, request);
    else if (word.startsWith('-')) {
      if (!/^-[sS]+$/.test(word)) return undefined;
      continue;
    } else if (request.path === undefined) {
      request.path = word.replace(originPlaceholder, '').replace(/^\$(DARKROOM_)?URL/, '');
      continue;
    } else return undefined;
    at += 1;
  }
  const { path = '', body, method = body === undefined ? 'GET' : 'POST' } = request;
  if (!path.startsWith(`${prefix}/`) || /[$…]/.test(path + (body ?? ''))) return undefined;
  const [call = ''] = path.slice(prefix.length).split('?');
  return keysOnly.includes(`${method} ${call}`) ? undefined : { ...request, method, path };
}

function readHeader(header: string, request: Partial<CurlRequest>): void {
  const [name = '', value = ''] = header.split(': ');
  if (name === 'Prefer') request.prefer = value;
  if (name === 'Idempotency-Key') request.isKeyed = true;
}

/** Splits words like a shell, but keeps variables. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|\\(.)/g,
      (_all, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  );
}
