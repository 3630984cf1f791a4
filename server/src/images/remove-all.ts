import type { ImageStore } from './image-store.ts';

/** The number of concurrent removals, each of which takes about 30 ms in a distant store. */
const atOnce = 16;

/** Missing objects are no error. @throws StoreError */
export async function removeAll(images: Pick<ImageStore, 'remove'>, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += atOnce)
    await Promise.all(keys.slice(at, at + atOnce).map((key) => images.remove(key)));
}
