import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';
import type { Size } from '../../upstream/catalog/models.ts';

/**
 * The image as it came, its pixels while they are fitted, and the file that is written. Of 16 megapixels like a photograph, a
 * PNG that fits took 32 MB, a JPEG that is scaled 55.
 */
const bytesPerPixel = 4;
const machineShare = 1 / 4;

/** Each worker's equal share of the machine's memory, or of the part that the process may use. */
export function usualImageBytes(workers: number): number {
  return Math.floor((usableMemory() * machineShare) / workers);
}

/**
 * Memory for the image of one attempt: held once, from first use until the attempt is over. `images`: the number of
 * images of its size in memory at once.
 */
export function holdOnce(budget: ByteBudget, promised: Size, signal: AbortSignal, images = 1) {
  let held: Promise<Disposable> | undefined;
  return {
    /** @param answerBytes of an answer with the image in it; 0 if that is not known */
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
