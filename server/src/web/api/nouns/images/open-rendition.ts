import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Overloaded } from '../../../../base/std/overloaded.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import type { ImageStore, StoredObject } from '../../../../images/image-store.ts';
import { StoreError } from '../../../../images/image-store.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import { type RenditionWidth, renditionKey, renditionWidths } from '../../../../images/renditions.ts';
import { imageGone } from '../../../../jobs/link-image.ts';

export function readWidth(written: string): RenditionWidth {
  const width = renditionWidths.find((known) => String(known) === written);
  if (width === undefined) throw invalidField('/query/w', `must be one of ${renditionWidths.join(', ')}.`);
  return width;
}

/** Opens a rendition of a result, and creates it first if it is missing. @throws AppError `storage_unavailable` */
export async function openRendition(
  { images, renditions }: { images: ImageStore; renditions: Pick<Renditions, 'makeNow'> },
  { jobId, key }: { jobId: string; key: string },
  width: RenditionWidth,
): Promise<StoredObject | undefined> {
  const name = renditionKey(key, width);
  const stored = await fromStore(images.get(name));
  if (stored) return stored;
  if (!(await fromStore(renditions.makeNow({ jobId, key }, width)))) return undefined;
  return fromStore(images.get(name));
}

async function fromStore<Read>(reading: Promise<Read>): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof StoreError ? notReadable(error) : error;
  }
}

/**
 * Waits until the body's first bytes can be read, because the status can no longer report an error once the response
 * has started.
 * @throws AppError `image_gone`, `storage_unavailable`; Overloaded
 */
export async function openReadable<Opened extends { body: Readable }>(
  opening: Promise<Opened | undefined>,
  signal: AbortSignal,
  onMissing?: () => void,
): Promise<Opened> {
  const stored = await fromStore(opening);
  if (!stored) {
    onMissing?.();
    throw imageGone();
  }
  // The body may break off before its reader listens, and an unhandled error event would end the process.
  stored.body.on('error', () => undefined);
  await untilReadable(stored.body, signal);
  return stored;
}

function notReadable(cause: unknown): AppError {
  const detail = 'The image could not be read from its storage. Send the request again shortly.';
  return new AppError('storage_unavailable', detail, {}, { cause });
}

async function untilReadable(body: Readable, signal: AbortSignal): Promise<void> {
  try {
    await once(body, 'readable', { signal });
  } catch (error) {
    body.destroy();
    throw signal.aborted || error instanceof AppError || error instanceof Overloaded
      ? error
      : notReadable(error);
  }
}
