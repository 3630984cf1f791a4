import { type ApiKey, payerOf } from '../../../../accounts/key-store.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { breathe } from '../../../../base/std/lateness/turns.ts';
import { AppError } from '../../../../errors.ts';
import { createSemaphore } from '../../../../images/inputs/semaphore.ts';
import { type BatchedRequest, maxRequests } from '../../../../jobs/admission/create-batch.ts';
import { maxImages } from '../../../../jobs/admission/take-batch-inputs.ts';
import { checkImages } from '../../check-images.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { wrongField } from '../../door-errors.ts';
import { readLargeJson } from '../../large-json.ts';
import { maskOf, type SentImage, type TakenImages, takeImages } from '../../take-images.ts';
import { asFields, oneOf, take, takeText } from '../fields.ts';
import { noImage, readImages, readMask } from '../read-edit.ts';
import { readOptions } from '../read-options.ts';
import { answerOptions } from '../send-images.ts';
import { type LineAnswer, writeAnswers } from './answers.ts';

export const batchedCalls = ['/v1/images/generations', '/v1/images/edits'] as const;
export type BatchedCall = (typeof batchedCalls)[number];

const maxCustomIdLength = 512;
/** The maximum number of mistakes that are reported, enough to see what is wrong with a file. */
const maxMistakes = 20;
// The number of files that are read at the same time. Each takes up to 16 MB of memory, and its requests as much again.
const filesAtOnce = 4;
const slots = createSemaphore(filesAtOnce, filesAtOnce / 2);
const pieceBytes = 4 * 1024;

interface Wanted {
  key: ApiKey;
  call: BatchedCall;
  content: Uint8Array;
  signal: () => AbortSignal;
}

export interface TakenRequests extends AsyncDisposable {
  requests: BatchedRequest[];
  /** The number of each request's line. */
  lines: number[];
  answers: string;
}

/**
 * Takes all requests of a file or none. The result keeps their images until it is disposed. By then, the jobs should
 * have copies.
 * @throws AppError `invalid_request` that names lines, `model_forbidden`, and the errors of `takeUpload`
 */
export async function takeRequests(deps: DoorDeps, wanted: Wanted): Promise<TakenRequests> {
  const leave = await slots.take(1, wanted.signal(), wanted.key.accountId);
  await using held = new AsyncDisposableStack();
  held.defer(leave);
  const requests: BatchedRequest[] = [];
  const lines: number[] = [];
  const answers: LineAnswer[] = [];
  const known = new Set<string>();
  const mistakes: string[] = [];
  let images = 0;
  for await (const [number, text] of linesOf(wanted.content)) {
    try {
      if (number > maxRequests)
        throw wrongField('', `A file may have at most ${groupDigits(maxRequests)} lines.`);
      const line = await readLine(deps, wanted, text, known);
      held.use(line.images);
      held.use(line.mask);
      images += line.request.inputUrls.length + (line.mask ? 1 : 0);
      if (images > maxImages)
        throw wrongField('', `A file may have at most ${groupDigits(maxImages)} images in all.`);
      requests.push(line.request);
      lines.push(number);
      answers.push(line.answer);
    } catch (error) {
      mistakes.push(`Line ${number}: ${mistakeOf(error, number)}`);
      if (mistakes.length >= maxMistakes || number > maxRequests) break;
    }
  }
  if (mistakes.length > 0)
    throw wrongField('/input_file_id', `${mistakes.join('\n')}\nNothing was accepted.`);
  if (requests.length === 0) throw wrongField('/input_file_id', 'The file has no requests.');
  const taken = held.move();
  return {
    ...{ requests, lines, answers: writeAnswers(answers) },
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}

/**
 * Yields the lines that are not blank, with their numbers. Lines beyond the limit are yielded even if they are blank,
 * because blank lines take time too.
 */
async function* linesOf(content: Uint8Array): AsyncGenerator<[number, Buffer]> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (let from = 0, number = 1; from < bytes.length; number += 1) {
    const end = bytes.indexOf(newline, from);
    const line = bytes.subarray(from, end < 0 ? bytes.length : end);
    from += line.length + 1;
    if (number > maxRequests || !(await isBlank(line))) yield [number, line];
  }
}

async function isBlank(line: Buffer): Promise<boolean> {
  for (let at = 0; at < line.length; at += pieceBytes) {
    await breathe();
    if (/[^\t\v\f\r ]/.test(line.toString('latin1', at, at + pieceBytes))) return false;
  }
  return true;
}

const newline = 0x0a;

async function readLine(deps: DoorDeps, { key, call, signal }: Wanted, text: Buffer, known: Set<string>) {
  const fields = asFields(await parseLine(text));
  const customId = takeText(fields, 'custom_id', maxCustomIdLength);
  if (!customId) throw wrongField('/custom_id', 'Send custom_id.');
  if (known.has(customId)) throw wrongField('/custom_id', `Another line has the custom_id ${customId}.`);
  known.add(customId);
  if (oneOf(fields, 'method', ['POST']) === undefined) throw wrongField('/method', 'method must be POST.');
  if (take(fields, 'url') !== call)
    throw wrongField('/url', `url must be ${call}, as the endpoint of the batch.`);
  const body = asFields(take(fields, 'body'));
  await using taken = new AsyncDisposableStack();
  const isEdit = call.endsWith('/edits');
  const images = taken.use(await takeOwn(deps, key, isEdit ? readImages(body) : [], signal));
  if (isEdit && images.urls.length === 0) throw wrongField('/images', noImage);
  const sent = isEdit ? readMask(body) : null;
  const mask = taken.use(sent && (await takeOwn(deps, key, [sent], signal)));
  const options = readOptions(deps, body, images.first);
  if (options.count > 1) throw wrongField('/n', 'n must be 1 in a batch: send a line for each image.');
  if (options.stream) throw wrongField('/stream', 'Batches have no streams: leave stream out.');
  const request = checkImages(deps, key, { ...options, inputs: images.urls, mask: maskOf(mask) });
  taken.move();
  return { request, images, mask, answer: { customId, options: answerOptions(options) } };
}

async function parseLine(text: Buffer): Promise<unknown> {
  const reader = readLargeJson();
  for (let at = 0; at < text.length; at += pieceBytes) {
    reader.take(text.subarray(at, at + pieceBytes));
    await breathe();
  }
  return reader.end();
}

/** Takes images in the file and links to this server. Fetching thousands of other URLs would take too long. */
async function takeOwn(
  deps: DoorDeps,
  key: ApiKey,
  images: readonly SentImage[],
  signal: () => AbortSignal,
): Promise<TakenImages> {
  const foreign = images.find((image) => 'url' in image && !deps.isOwnLink(image.url));
  if (foreign)
    throw wrongField(foreign.field, 'An image in a batch must be in its line, or be a link to this server.');
  return takeImages(deps, { payer: payerOf(key), images, signal });
}

function mistakeOf(error: unknown, number: number): string {
  if (!(error instanceof AppError)) throw error;
  const { code, message } = error;
  if (code === 'invalid_request' || code === 'inputs_unusable' || (code === 'not_found' && message))
    return message;
  // This error keeps its own status, because it is not a mistake in the file.
  if (code === 'model_forbidden')
    throw new AppError(code, `Line ${number}: ${message}\nNothing was accepted.`, {}, { cause: error });
  throw error;
}
