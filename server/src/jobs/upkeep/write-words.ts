import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import { catchUp } from '../search/catch-up.ts';
import { findBehind } from '../search/word-store.ts';

const accountsAtOnce = 20;
/** The pause after each step, as a multiple of the step's length. It leaves nearly all of the machine to requests. */
const pauseFactor = 9;

/** Indexes words in advance, so that the first search is fast. Returns whether more accounts may have some to index. */
export async function writeWords(database: Database, signal: AbortSignal): Promise<boolean> {
  const behind = await findBehind(database.read, accountsAtOnce);
  for (const accountId of behind)
    for (let more = true; more && !signal.aborted; ) {
      const began = performance.now();
      ({ more } = await catchUp(database, accountId));
      await sleep((performance.now() - began) * pauseFactor, undefined, { signal }).catch(() => {});
    }
  return behind.length === accountsAtOnce && !signal.aborted;
}
