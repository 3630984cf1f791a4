import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { Busboy, type BusboyConfig, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { letArriveSteadily } from './slow-clients/end-slow-senders.ts';

/** The only file in a body, as it arrives. `source` ends without an error only if the rest of the body is valid too. */
export interface SentFile {
  source: AsyncIterable<Uint8Array>;
  /** The announced length; undefined if there is none. */
  bytes: number | undefined;
  /** A JSON pointer to the file: the name of its field in a form, or the whole body. */
  pointer: string;
}

export const fileTypes = ['image/*', 'application/octet-stream', 'multipart/form-data'] as const;

/** Leaves bodies unread, for calls that read them with `useSentFile`. */
export function passBodiesOn(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Runs before the body is read. @throws AppError `unsupported_media_type` */
export function assertFile({ headers }: FastifyRequest): void {
  const type = essenceOf(headers['content-type']);
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  if (isPlain && (type.startsWith('image/') || fileTypes.some((known) => known === type))) return;
  throw new AppError(
    'unsupported_media_type',
    'The body must be an image: send "Content-Type: image/png" or its like, "application/octet-stream", or "multipart/form-data" with one file, without compression.',
  );
}

/** Passes a request's file to `use`, then reads the rest, because a client sees no answer while it is sending. */
export async function useSentFile<T>(
  { raw, headers }: FastifyRequest,
  use: (file: SentFile) => Promise<T>,
): Promise<T> {
  using _patience = letArriveSteadily(raw);
  try {
    const body = readBody(raw);
    if (essenceOf(headers['content-type']) === 'multipart/form-data')
      return await use(await findFile(body, headers));
    const length = headers['content-length'];
    const bytes = length === undefined ? undefined : Number(length);
    return await use({ source: body, bytes, pointer: '' });
  } finally {
    raw.resume();
  }
}

/** Keeps the connection open if the reader stops early. */
async function* readBody(raw: IncomingMessage): AsyncIterable<Uint8Array> {
  // `answerExpectations` waits for `resume`, which an iterator does not emit, before it requests the body.
  raw.emit('resume');
  yield* raw.iterator({ destroyOnReturn: false });
}

// Enough for a browser, which sends three or four short headers with a file.
const formLimits = { parts: 1, headerPairs: 20, headerSize: 8_192, fieldSize: 0 };

async function findFile(
  body: AsyncIterable<Uint8Array>,
  headers: FastifyRequest['headers'],
): Promise<SentFile> {
  const found: { name?: string } = {};
  const chunks = readForm(body, headers, found);
  const first = await chunks.next();
  const source = first.done ? nothing() : resume(first.value, chunks);
  return { source, bytes: undefined, pointer: pointerTo(found.name) };
}

async function* readForm(
  body: AsyncIterable<Uint8Array>,
  headers: FastifyRequest['headers'],
  found: { name?: string },
): AsyncGenerator<Uint8Array, void> {
  const form = openForm(headers, formLimits);
  let arrived: Uint8Array[] = [];
  let mistake: AppError | undefined;
  const note = (pointer: string, detail: string) => {
    mistake ??= invalid(pointer, detail);
  };
  form.on('file', (name, file) => {
    found.name = name;
    file.on('data', (chunk: Uint8Array) => arrived.push(chunk));
    file.on('error', () => note('', 'ends in the middle of a file.'));
  });
  form.on('field', (name) => note(pointerTo(name), 'is not a file.'));
  form.on('partsLimit', () => note('', 'must have exactly one part, the file.'));
  form.on('error', (error: Error) => note('', `is not valid multipart/form-data: ${error.message}.`));
  const finished = once(form, 'finish').catch(() => {}); // its errors are noted above
  for await (const chunk of body) {
    const written = new Promise((resolve) => form.write(chunk, resolve));
    await Promise.race([written, finished]);
    if (mistake) throw mistake;
    yield* arrived;
    arrived = [];
  }
  form.end();
  await finished;
  if (found.name === undefined) note('', 'has no file.');
  if (mistake) throw mistake;
  yield* arrived;
}

/** @throws AppError `invalid_request` for a form without a boundary */
export function openForm(headers: FastifyRequest['headers'], limits: BusboyConfig['limits']): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits }); // the type was checked before
  } catch {
    throw invalid('', 'has no boundary in its Content-Type.');
  }
}

async function* resume(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield first;
  yield* rest;
}

async function* nothing(): AsyncIterable<Uint8Array> {}

function pointerTo(name = ''): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function essenceOf(type = ''): string {
  try {
    return new MIMEType(type).essence;
  } catch {
    return '';
  }
}

function invalid(pointer: string, detail: string): AppError {
  return new AppError('invalid_request', `The form${pointer && ` field ${pointer}`} ${detail}`, {
    errors: [{ pointer, detail }],
  });
}
