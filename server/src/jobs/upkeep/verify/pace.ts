import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../base/db/database.ts';

// SQLite reads in the thread that serves requests. A page is as large as this allows.
const targetMs = { sqlite: 4, postgres: 40 } as const;
const leastRows = 16;
const mostRows = 5_000;

/** Steps of reading, each followed by a rest of `rests` times its length. */
export function createPace({ kind }: Database, { rests, signal }: { rests: number; signal?: AbortSignal }) {
  let size = leastRows;
  return {
    rows: () => size,
    /** @throws the signal's reason */
    async step(read: (rows: number) => Promise<unknown>): Promise<void> {
      signal?.throwIfAborted();
      const began = performance.now();
      await read(size);
      const tookMs = performance.now() - began;
      size = tookMs > targetMs[kind] ? size / 2 : tookMs < targetMs[kind] / 2 ? size * 2 : size;
      size = Math.min(mostRows, Math.max(leastRows, Math.floor(size)));
      await sleep(tookMs * rests, undefined, signal && { signal });
    },
  };
}
