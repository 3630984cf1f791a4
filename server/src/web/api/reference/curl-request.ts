import { originPlaceholder } from './origin.ts';

/** The call that a sample of curl makes, for a page that makes it as its reader. */
export interface CurlRequest {
  method: string;
  path: string;
  body?: string;
  prefer?: string;
  /** The call takes an `Idempotency-Key`. */
  isKeyed?: true;
}

/** Calls that no session makes: they give a key's events, and a key's tokens. A test compares them with the table of calls. */
export const keysOnly: readonly string[] = ['GET /events', 'POST /client-tokens'];

const prefix = '/api/v1';

/** Reads the call of our API in a sample; undefined for any other, and for one with a placeholder to fill in. */
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

/** The words of a command, as a shell reads them. Variables stay. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|\\(.)/g,
      (_all, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  );
}
