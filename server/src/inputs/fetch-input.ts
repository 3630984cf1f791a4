import { type FileHandle, open } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import type { Guard } from '../guard/guard.ts';
import { orAborted } from '../std/or-aborted.ts';
import { type SourceMediaType, sniff, sniffBytes } from '../std/sniff-image.ts';
import type { Meter } from './budget.ts';
import { createDeadline, type Deadline, seconds } from './deadline.ts';
import { explainFetchError, unfetchable } from './fetch-error.ts';
import { InputError } from './input-errors.ts';
import type { FetchLimits } from './limits.ts';

export interface FetchedInput {
  /** A temporary file, removed when the set of inputs is disposed of. */
  path: string;
  mediaType: SourceMediaType;
  bytes: number;
}

/**
 * Opens an image of our own without a connection: our links are public, but our address may be blocked as
 * private. An error while it is opened or read is not the fault of an input, and the implementation has to
 * limit the time.
 */
export type OpenOwn = (url: string) => Promise<OwnImage | undefined>;
export type OwnImage = Source & Disposable;

export interface DownloadContext {
  guard: Guard;
  openOwn?: OpenOwn;
  dispatcher: Dispatcher;
  limits: FetchLimits;
  /** Aborted when the whole set has ended. If the reason is an `InputError`, the client gets it. */
  signal: AbortSignal;
  /** Throws when the set has too many bytes. */
  meter: Meter;
}

/**
 * Downloads one URL into `path`, following redirects. Throws `InputError` for errors of the URL or its
 * server.
 */
export async function fetchInput(url: string, path: string, context: DownloadContext): Promise<FetchedInput> {
  using own = await context.openOwn?.(url);
  const deadline = createDeadline(context.signal);
  try {
    const source = own ?? bodyOf(await follow(url, context, deadline));
    return await save(source, path, context, deadline);
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
  'user-agent': 'Darkroom',
  accept: 'image/png,image/jpeg,image/webp,image/gif;q=0.9,*/*;q=0.1',
  // A compressed answer of 97 KB can hold 100 MB, and images are compressed already.
  'accept-encoding': 'identity',
};

const redirectCodes = new Set([301, 302, 303, 307, 308]);

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (!redirectCodes.has(statusCode)) return undefined;
  const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
  // Node decodes header bytes as Latin-1; URLs in them are UTF-8 unless plain ASCII.
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
    return 'The server sent the file compressed (Content-Encoding), though it was asked not to.';
  }
  return undefined;
}

function bodyOf({ body, headers }: Dispatcher.ResponseData): Source {
  return { body, bytes: Number(headers['content-length'] ?? 0) };
}

interface Source {
  body: AsyncIterable<Buffer>;
  /** As announced by its source. */
  bytes: number;
}

async function save(
  source: Source,
  path: string,
  context: DownloadContext,
  deadline: Deadline,
): Promise<FetchedInput> {
  const { silenceMs } = context.limits;
  deadline.set(silenceMs, `stopped sending for ${seconds(silenceMs)} in the middle of the file`);
  if (Number.isSafeInteger(source.bytes)) context.meter.expect(source.bytes);
  await using file = await open(path, 'wx', 0o600);
  const { head, bytes } = await receive(source.body, file, context, deadline);
  const mediaType = sniff(head);
  if (bytes === 0) throw unfetchable('The server sent an empty file.');
  if (mediaType === undefined) throw notAnImage();
  return { path, mediaType, bytes };
}

/** Fewer, larger writes, because each goes through the thread pool. Fourteen inputs buffer 4 MB this way. */
const writeBytes = 262_144;

async function receive(
  body: AsyncIterable<Buffer>,
  file: FileHandle,
  context: DownloadContext,
  deadline: Deadline,
): Promise<{ head: Buffer; bytes: number }> {
  let head: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let unwritten: Buffer[] = [];
  let unwrittenBytes = 0;
  const flush = async () => {
    if (unwrittenBytes > 0) await file.writev(unwritten);
    unwritten = [];
    unwrittenBytes = 0;
  };
  for await (const chunk of body) {
    deadline.restart();
    bytes += chunk.length;
    context.meter.count(chunk.length);
    if (head.length < sniffBytes) {
      head = Buffer.concat([head, chunk.subarray(0, sniffBytes)]);
      // A file whose first bytes are not those of an image is not worth downloading.
      if (head.length >= sniffBytes && sniff(head) === undefined) throw notAnImage();
    }
    unwritten.push(chunk);
    unwrittenBytes += chunk.length;
    if (unwrittenBytes >= writeBytes) await flush();
  }
  await flush();
  return { head, bytes };
}

function notAnImage(): InputError {
  return new InputError('input_not_an_image', 'The file is not a JPEG, PNG, WebP or GIF image.');
}
