import { type Meter, secondBounds } from '../base/metrics/meter.ts';
import type { ImageStore } from './image-store.ts';

export function meterStore(store: ImageStore, meter: Meter): ImageStore {
  const stored = meter.counter('darkroom_images_stored_total', 'Objects that were stored.', ['kind']);
  const bytes = meter.counter('darkroom_images_stored_bytes_total', 'Bytes of the stored images.', ['kind']);
  const seconds = meter.histogram(
    'darkroom_store_seconds',
    'Duration of work in the image store; of reads, until the first byte.',
    ['operation', 'outcome'],
    secondBounds,
  );

  async function timed<Result>(operation: string, work: Promise<Result>): Promise<Result> {
    const began = performance.now();
    const note = (outcome: string) =>
      seconds.observe((performance.now() - began) / 1000, [operation, outcome]);
    try {
      const result = await work;
      note('done');
      return result;
    } catch (error) {
      note('failed');
      throw error;
    }
  }

  return {
    kind: store.kind,
    async put(key, body, info) {
      await timed('put', store.put(key, body, info));
      // The first part of a key, such as `results` or `uploads`.
      const kind = [key.split('/')[0] ?? ''];
      stored.add(kind);
      bytes.add(kind, info.bytes);
    },
    get: (key, range) => timed('get', store.get(key, range)),
    remove: (key) => timed('remove', store.remove(key)),
    list: (prefix) => store.list(prefix),
    check: () => store.check(),
    sweep: () => store.sweep(),
    [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.(),
  };
}
