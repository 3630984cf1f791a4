import type { Dispatcher } from 'undici';
import type { Guard } from '../../base/guard/guard.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { userAgent } from '../../version.ts';
import type { Meter } from './budget.ts';
import { createDeadline, type Deadline, seconds } from './deadline.ts';
import type { DecodedFile } from './decoder-messages.ts';
import { explainFetchError, unfetchable } from './fetch-error.ts';
import { InputError } from './input-errors.ts';
import type { FetchLimits } from './limits.ts';
import { type ReceivedFile, receiveFile } from './receive-file.ts';

export interface FetchedInput extends ReceivedFile {
  /** True for an image of this server: an upload, a result or a job's input. */
  isOwn: boolean;
  normalised?: DecodedFile;
}

/**
 * Opens an image of this server without a connection, because the server's address may be private, and inputs may not
 * come from private addresses. Failed reads are not the client's fault.
 * @throws OwnLinkError
 */
export type OpenOwn = (url: string, owner: string) => Promise<OwnImage | undefined>;
export interface OwnImage extends Source, Disposable {
  /** Set if the decoder wrote the image. Decoding it again would only make it worse. */
  normalised?: DecodedFile;
}

export interface DownloadContext {
  guard: Guard;
  openOwn?: OpenOwn;
  owner: string;
  dispatcher: Dispatcher;
  limits: FetchLimits;
  /** Aborts when all downloads of the set must stop. The client gets the reason if it is an `InputError`. */
  signal: AbortSignal;
  meter: Meter;
}

/** Follows redirects. @throws InputError if the URL is wrong or its server fails */
export async function fetchInput(url: string, path: string, context: DownloadContext): Promise<FetchedInput> {
  using own = await context.openOwn?.(url, context.owner);
  const deadline = createDeadline(context.signal);
  try {
    const source = own ?? bodyOf(await follow(url, context, deadline));
    const saved = await save(source, path, context, deadline);
    return { ...saved, isOwn: own !== undefined, ...(own?.normalised && { normalised: own.normalised }) };
  } catch (error) {
    if (own || error instanceof InputError) throw error;
    throw deadline.signal.aborted ? deadline.signal.reason : explainFetchError(error);
  } finally {
    deadline.end();
  }
}

async function follow(
  first: string,
  context: DownloadContext,
  deadline: Deadline,
): Promise<Dispatcher.ResponseData> {
  const { answerMs } = context.limits;
  deadline.set(answerMs, `did not answer within ${seconds(answerMs)}`);
  let url = checked(first, context.guard);
  for (let hop = 0; ; hop++) {
    deadline.restart();
    const { origin, pathname, search } = url;
    const wanted = { origin, path: pathname + search, method: 'GET', headers: requestHeaders } as const;
    const answer = await orAborted(
      context.dispatcher.request({ ...wanted, signal: deadline.signal }),
      deadline.signal,
    );
    const location = redirectTarget(answer);
    if (location === undefined) return usable(answer);
    answer.body.on('error', () => undefined).destroy();
    if (hop === context.limits.redirects) {
      throw unfetchable(
        `The server redirected more than ${context.limits.redirects} times. Use the final URL.`,
      );
    }
    url = nextUrl(location, url, context.guard);
  }
}

function checked(text: string, guard: Guard): URL {
  const verdict = guard.checkUrl(text);
  if (!verdict.ok) throw new InputError('input_blocked', verdict.detail);
  return verdict.url;
}

function nextUrl(location: string, from: URL, guard: Guard): URL {
  const next = URL.parse(location, from.href);
  if (next === null) throw unfetchable('The server redirected to something that is not a URL.');
  if (next.protocol !== 'http:' && next.protocol !== 'https:') {
    throw new InputError('input_blocked', 'The server redirected to a URL that is neither http nor https.');
  }
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw new InputError(
      'input_blocked',
      'The server redirected from https to http. Use a URL that stays on https.',
    );
  }
  return checked(next.href, guard);
}

const requestHeaders = {
  'user-agent': userAgent,
  accept: 'image/png,image/jpeg,image/webp,image/gif;q=0.9,*/*;q=0.1',
  // A compressed answer of 97 KB can expand to 100 MB, and images are compressed anyway.
  'accept-encoding': 'identity',
};

const redirectCodes = new Set([301, 302, 303, 307, 308]);

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (!redirectCodes.has(statusCode)) return undefined;
  const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
  // Node decodes header bytes as Latin-1, but URLs in headers are UTF-8 or plain ASCII.
  return location === undefined ? undefined : Buffer.from(location, 'latin1').toString();
}

function usable(answer: Dispatcher.ResponseData): Dispatcher.ResponseData {
  const problem = answerProblem(answer);
  if (problem === undefined) return answer;
  answer.body.on('error', () => undefined).destroy();
  throw unfetchable(problem);
}

function answerProblem({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (statusCode !== 200) {
    return `The server answered with status ${statusCode} instead of 200. Check that the URL works without signing in.`;
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return 'The server sent the file compressed (Content-Encoding), although the request excluded compression.';
  }
  return undefined;
}

function bodyOf({ body, headers }: Dispatcher.ResponseData): Source {
  return { body, bytes: Number(headers['content-length'] ?? 0) };
}

interface Source {
  body: AsyncIterable<Buffer>;
  bytes: number;
}

async function save(
  source: Source,
  path: string,
  { limits, meter }: DownloadContext,
  deadline: Deadline,
): Promise<ReceivedFile> {
  const { silenceMs } = limits;
  deadline.set(silenceMs, `stopped sending for ${seconds(silenceMs)} in the middle of the file`);
  if (Number.isSafeInteger(source.bytes)) meter.expect(source.bytes);
  return receiveFile(source.body, path, {
    meter,
    onChunk: deadline.restart,
    empty: () => unfetchable('The server sent an empty file.'),
  });
}
