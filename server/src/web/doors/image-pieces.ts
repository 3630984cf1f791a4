import { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { Job } from '../../jobs/job.ts';
import { imageGone } from '../../jobs/link-image.ts';
import { openReadable } from '../api/nouns/images/open-rendition.ts';
import type { DoorDeps } from './door-deps.ts';
import { NoImages } from './door-errors.ts';

/**
 * Opens the first image before the answer begins, so that the answer can still be an error.
 * @throws AppError `image_gone`, `storage_unavailable`
 */
export async function openImages(
  { images }: Pick<DoorDeps, 'images'>,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<AsyncIterable<AsyncIterable<string>>> {
  const [first, ...others] = jobs;
  if (!first) throw new Error('an answer without an image');
  const opened = await open(images, first, signal);
  return (async function* () {
    yield toBase64(opened);
    for (const job of others) yield toBase64(await open(images, job, signal));
  })();
}

/** The error of jobs that have no image: a failure, or that the images were made and have been removed since. */
export function withoutImage(jobs: readonly Job[]): Error {
  const failed = jobs.find(({ status }) => status === 'failed');
  return failed ? new NoImages(failed) : imageGone();
}

/** Produces the body of an answer at the reader's pace, so that many simultaneous answers take little memory. */
export function streamOf(pieces: AsyncIterable<string>): Readable {
  return Readable.from(pieces, { highWaterMark: 1 });
}

async function open(
  images: DoorDeps['images'],
  { image }: Job,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  if (!image) throw imageGone();
  try {
    const { body } = await openReadable(images.get(image.key), signal);
    return body;
  } catch (cause) {
    if (!(cause instanceof AppError && cause.code === 'storage_unavailable')) throw cause;
    // The message does not suggest another request, because that would create another image and charge for it.
    const detail = 'The image was made, but could not be read from its storage. Read its job later.';
    throw new AppError('storage_unavailable', detail, {}, { cause });
  }
}

// The size of a piece. It is divisible by three, and so small that V8 frees the text with the youngest objects. Larger
// pieces took 100 MB more memory.
const pieceBytes = 12_288;

async function* toBase64(body: AsyncIterable<Buffer>): AsyncIterable<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    for (let at = 0; at < whole; at += pieceBytes)
      yield bytes.toString('base64', at, Math.min(whole, at + pieceBytes));
  }
  if (rest.length > 0) yield rest.toString('base64');
}
