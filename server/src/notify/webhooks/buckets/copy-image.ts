import { Readable } from 'node:stream';
import type { FindImage } from '../../../images/image-links.ts';
import { type ImageStore, StoreError } from '../../../images/image-store.ts';
import { extensions, type StoredMediaType } from '../../../images/media-types.ts';
import { readStored } from '../../../images/read-stored.ts';
import type { AttemptResult, DeliveredEvent, DeliveryFailure } from '../delivery.ts';
import { type BucketAccess, type PutContext, putObject } from './put-object.ts';

/** Makes one attempt to copy an image. A repeat writes the same object. Never throws. */
export type CopyImage = (
  event: DeliveredEvent,
  to: BucketAccess,
  context: PutContext,
) => Promise<AttemptResult>;

export function createCopyImage({
  findImage,
  images,
}: {
  findImage: FindImage;
  images: ImageStore;
}): CopyImage {
  return async ({ jobId, createdAt }, to, context) => {
    // If the database is unavailable, the attempt fails and is retried.
    const found =
      jobId === null ? 'never' : await findImage({ kind: 'job', jobId, input: null }).catch(() => undefined);
    if (!found) return notSent('image_unreadable');
    if (jobId === null || typeof found === 'string') return notSent('image_gone');
    const stored = await images.get(found.key).catch(() => undefined);
    if (!stored) return notSent('image_unreadable');
    // Streams the image, because the whole images of hundreds of concurrent copies would fill the memory.
    const stream = Readable.from(readStored(found.key, stored.body));
    stream.on('error', () => undefined); // the attempt reports the error
    const { bytes, sha256, mediaType } = found;
    const name = nameOf(jobId, createdAt, mediaType);
    const object = { name, mediaType, metadata: { 'job-id': jobId }, body: { stream, bytes, sha256 } };
    try {
      const result = await putObject(to, object, context);
      // Our own store was at fault, which says nothing about the bucket.
      return stream.errored instanceof StoreError ? notSent('image_unreadable') : result;
    } finally {
      stream.destroy();
      stored.body.destroy();
    }
  };
}

/**
 * Groups copies by the day on which their jobs ended. Folders thus stay small, and a repeated copy overwrites the first.
 */
function nameOf(jobId: string, endedAt: number, mediaType: StoredMediaType): string {
  const day = new Date(endedAt).toISOString().slice(0, 10).replaceAll('-', '/');
  return `${day}/${jobId}.${extensions[mediaType]}`;
}

function notSent(failure: DeliveryFailure): AttemptResult {
  return { status: null, failure, durationMs: 0, answer: null, retryAfterMs: null };
}
