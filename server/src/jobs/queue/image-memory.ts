import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';
import type { Size } from '../../upstream/catalog/models.ts';

/** Memory for an image, its pixels and its file. 16 megapixels take 32 MB as a PNG, 55 MB as a scaled JPEG. */
const bytesPerPixel = 4;
const machineShare = 1 / 4;

/** Each worker's equal share of the memory that the machine has, or the process may use. */
export function usualImageBytes(workers: number): number {
  return Math.floor((usableMemory() * machineShare) / workers);
}

/** Holds memory for an attempt's image, once, until the attempt ends. `images` is the number in memory at once. */
export function holdOnce(budget: ByteBudget, promised: Size, signal: AbortSignal, images = 1) {
  let held: Promise<Disposable> | undefined;
  return {
    /** @param answerBytes the size of the answer that contains the image; 0 if unknown */
    async hold(answerBytes: number): Promise<void> {
      held ??= budget.take(
        Math.max(images * promised.width * promised.height * bytesPerPixel, 2 * answerBytes),
        signal,
      );
      await held;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const memory = await held?.catch(() => undefined);
      memory?.[Symbol.dispose]();
    },
  };
}
