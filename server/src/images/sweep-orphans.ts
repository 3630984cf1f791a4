import type { ImageStore, ListedObject } from './image-store.ts';

/** The minimum age of an orphan. A row can follow its object by minutes, and a wrong clock can add hours. */
export const orphanGraceMs = 24 * 60 * 60 * 1000;

const maxBatch = 500;

/** `isKnown` returns the keys that have a row. */
export async function sweepOrphans(
  store: ImageStore,
  {
    prefix,
    isKnown,
    olderThanMs = orphanGraceMs,
    nowMs,
    signal,
  }: {
    prefix: string;
    isKnown(keys: string[]): Promise<Set<string>>;
    olderThanMs?: number;
    nowMs: number;
    signal?: AbortSignal;
  },
): Promise<{ seen: number; removed: number }> {
  const counts = { seen: 0, removed: 0 };
  let batch: string[] = [];
  const removeUnknown = async () => {
    if (batch.length === 0) return;
    const known = await isKnown(batch);
    for (const key of batch) {
      if (known.has(key)) continue;
      await store.remove(key);
      counts.removed += 1;
    }
    batch = [];
  };
  for await (const object of store.list(prefix)) {
    signal?.throwIfAborted();
    counts.seen += 1;
    if (!isOld(object, nowMs, olderThanMs)) continue;
    batch.push(object.key);
    if (batch.length === maxBatch) await removeUnknown();
  }
  await removeUnknown();
  return counts;
}

function isOld({ modifiedMs }: ListedObject, nowMs: number, olderThanMs: number): boolean {
  return nowMs - modifiedMs > olderThanMs;
}
