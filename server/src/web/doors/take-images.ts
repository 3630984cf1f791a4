import { breathe } from '../../base/std/lateness/turns.ts';
import { invalidField } from '../../errors.ts';
import { unusableInputs } from '../../images/inputs/input-errors.ts';
import { fetchLimits, maxInputs } from '../../images/inputs/limits.ts';
import { dropUpload } from '../../images/uploads/drop-upload.ts';
import { takeUpload, type Upload } from '../../images/uploads/take-upload.ts';
import type { MaskWish } from '../../jobs/admission/take-inputs.ts';
import type { Payer } from '../../money/limits/limit.ts';
import type { Size } from '../../upstream/catalog/models.ts';
import { decodeBase64 } from './base64.ts';
import type { DoorDeps } from './door-deps.ts';
import type { LongText } from './large-json.ts';

/** `field` is the place of an image, as the client names it. */
export type SentImage = { field: string } & ({ data: string | LongText } | { url: string });

export interface TakenImages extends AsyncDisposable {
  urls: string[];
  /** The hashes of the images, which distinguish requests with different images. */
  hashes: string[];
  /** The size of the first image; undefined if it must still be fetched. */
  first: Size | undefined;
}

type ImageDeps = Pick<DoorDeps, 'uploads' | 'isOwnLink'>;

/**
 * Takes all images or none. Keeps them as uploads, so that the job can copy them. Disposing the result drops the
 * uploads.
 * @throws AppError and Overloaded as `takeUpload` does, and `invalid_request` for invalid base64 and for too many
 * images
 */
export async function takeImages(
  deps: ImageDeps,
  { payer, images, signal }: { payer: Payer; images: readonly SentImage[]; signal: () => AbortSignal },
): Promise<TakenImages> {
  // The number of images is checked here, because models would refuse too many only after all were decoded.
  if (images.length > maxInputs) throw invalidField('/inputs', `must have at most ${maxInputs} entries.`);
  const { accountId } = payer;
  const taken: (Upload | { url: string })[] = [];
  const count = createCount();
  try {
    // Images are decoded one at a time, because decoding one already uses all processors.
    for (const image of images) {
      if ('url' in image) {
        taken.push({ url: image.url });
        continue;
      }
      const upload = await takeUpload(deps.uploads, {
        ...payer,
        source: count(decodeBase64(image.data), image.field),
        pointer: image.field,
        signal: signal(),
      });
      taken.push(upload);
    }
  } catch (error) {
    await holdImages(deps, accountId, taken)[Symbol.asyncDispose]();
    throw error;
  }
  return holdImages(deps, accountId, taken);
}

export function holdImages(
  deps: ImageDeps,
  accountId: string,
  taken: readonly (Upload | { url: string })[],
): TakenImages {
  const [first] = taken;
  return {
    urls: taken.map(({ url }) => url),
    hashes: taken.map((image) => ('sha256' in image ? image.sha256 : meantBy(deps, image.url))),
    first: first && 'width' in first ? first : undefined,
    async [Symbol.asyncDispose]() {
      const ids = taken.flatMap((image) => ('id' in image ? [image.id] : []));
      // An upload that cannot be dropped now expires later.
      await Promise.all(
        ids.map((uploadId) => dropUpload(deps.uploads, { accountId, uploadId }).catch(() => {})),
      );
    },
  };
}

/** Returns the mask, whose transparent parts are to be changed, as in OpenAI's API. */
export function maskOf(taken: TakenImages | null): MaskWish | null {
  const [url] = taken?.urls ?? [];
  return url === undefined ? null : { url, changed: 'transparent' };
}

/** Drops the signature from our own links, because it changes every hour. */
export function meantBy({ isOwnLink }: Pick<ImageDeps, 'isOwnLink'>, url: string): string {
  return isOwnLink(url) ? url.replace(/\?.*/s, '') : url;
}

type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** @throws AppError `inputs_unusable` for too many bytes in all images together */
export function createCount(): (image: Pieces, pointer: string) => AsyncIterable<Buffer> {
  let left = fetchLimits.totalBytes;
  return async function* count(image, pointer) {
    for await (const piece of image) {
      await breathe();
      if (piece.length === 0) continue;
      left -= piece.length;
      if (left < 0) throw unusableInputs([{ pointer, code: 'inputs_too_large', detail: tooLarge }]);
      yield piece;
    }
  };
}

const tooLarge = 'The images are larger than 40 MB together. Send fewer or smaller ones.';
