import { type ByteBudget, createByteBudget } from '../../base/std/memory/byte-budget.ts';
import { collectGarbage } from '../../base/std/memory/collect-garbage.ts';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';
import type { Size } from '../../upstream/catalog/models.ts';
import type { HoldMemory } from '../../upstream/providers/answer-memory.ts';

/**
 * The bytes of memory per pixel, for an image's pixels and its file. 16 megapixels take 32 MB as a PNG, 55 MB as a
 * scaled JPEG.
 */
const bytesPerPixel = 4;
const machineShare = 1 / 4;
/**
 * The number of images in memory for a masked job: the result, the original, the mask and the combined image. Signing
 * needs no more, because the original and the mask are gone by then.
 */
const imagesIfMasked = 4;
/** The number of images in memory while one is signed: the result, the signing thread's copy and its signed file. */
const imagesIfSigned = 3;

/** A quarter of the memory that the process may use, divided equally among the workers. */
export function usualImageBytes(workers: number): number {
  return Math.floor((usableMemory() * machineShare) / workers);
}

/** The budget collects garbage, because V8 may keep the buffers of stored images for seconds after their attempts. */
export function createImageMemory(bytes: number): ByteBudget {
  return createByteBudget(bytes, () => collectGarbage('regular'));
}

export interface AttemptMemory extends AsyncDisposable {
  /**
   * Returns a function that takes memory for an attempt's images. Later calls wait for the first and take no more.
   * Connections may keep the function, so it must not refer to the images.
   */
  holdFor(uses: { isMasked: boolean; isSigned: boolean }, size: Size): HoldMemory;
}

export function holdOnce(budget: ByteBudget, signal: AbortSignal): AttemptMemory {
  let held: Promise<Disposable> | undefined;
  return {
    holdFor({ isMasked, isSigned }, { width, height }) {
      const images = isMasked ? imagesIfMasked : isSigned ? imagesIfSigned : 1;
      return async (answerBytes) => {
        held ??= budget.take(images * Math.max(width * height * bytesPerPixel, 2 * answerBytes), signal);
        await held;
      };
    },
    async [Symbol.asyncDispose]() {
      const memory = await held?.catch(() => undefined);
      memory?.[Symbol.dispose]();
    },
  };
}
