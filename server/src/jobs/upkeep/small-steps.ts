import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { findNewestJob } from './installation-store.ts';

/** Runs a step of at most `limit` rows in a transaction, then its effects, and pauses. Returns the number of rows. */
export type Step = (
  work: (tx: Tx, limit: number) => Promise<number>,
  effects?: () => Promise<void>,
) => Promise<number>;

// The target time for one step; the number of rows adapts to it. On SQLite, which has one writer, a request that
// creates jobs may have to wait this long.
const targetMs = { sqlite: 10, postgres: 100 } as const;
const leastRows = 16;
const mostRows = 512;
/** While jobs arrive, the pause after each step, as a multiple of the step's length. */
const restsWhileBusy = 15;
const restsWhileIdle = 1;
/** After this time without a new job, steps rest for less, because no request is waiting to create one. */
const idleAfterMs = 2_000;
/** The share of the time for removing objects that counts as work. The rest waits for a disk or a bucket. */
const weightOfEffects = 0.2;
const stepsUntilAsked = 50;

/** Runs work in steps of milliseconds, with long pauses while jobs arrive. @throws the signal's reason, or `Stopped` */
export function createSteps(
  database: Database,
  { signal, mayGoOn = async () => true }: { signal?: AbortSignal; mayGoOn?: () => Promise<boolean> } = {},
): Step {
  const target = targetMs[database.kind];
  let limit = leastRows;
  let newest: string | undefined;
  let busyUntil = 0;
  let steps = 0;

  return async (work, effects) => {
    signal?.throwIfAborted();
    steps += 1;
    if (steps % stepsUntilAsked === 0 && !(await mayGoOn())) throw new Stopped();
    let tookMs = 0;
    const rows = await database.transaction(async (tx) => {
      const began = performance.now(); // not before, since the transaction may have waited for its turn
      const found = await work(tx, limit);
      tookMs = performance.now() - began;
      return found;
    });
    if (rows === 0) return 0;
    if (tookMs > target) limit = Math.max(leastRows, Math.floor(limit / 2));
    else if (tookMs < target / 2 && rows >= limit) limit = Math.min(mostRows, limit * 2);
    const began = performance.now();
    await effects?.();
    const costMs = tookMs + (performance.now() - began) * weightOfEffects;
    const latest = await findNewestJob(database.read);
    if (latest !== newest) busyUntil = performance.now() + idleAfterMs;
    newest = latest;
    const rests = performance.now() < busyUntil ? restsWhileBusy : restsWhileIdle;
    await sleep(costMs * rests, undefined, signal && { signal });
    return rows;
  };
}

/** Thrown to stop work that another process continues, or that no process may continue. */
export class Stopped extends Error {
  override name = 'Stopped';
}
