import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../base/db/database.ts';

// The target time for one page; the page size adapts to it. The target for SQLite is short, because SQLite reads in the
// thread that serves requests.
const targetMs = { sqlite: 4, postgres: 40 } as const;
const leastRows = 16;
const mostRows = 5_000;

/** Runs reads in steps. After each step it rests for `rests` times the step's length. */
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
