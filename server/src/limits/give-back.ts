import type { Tx } from '../db/schema.ts';
import { jobMeters, type Limit } from './limit.ts';
import { readLimits, saveLimits } from './limit-store.ts';

export interface EndedUse {
  /** Account, key and client token. */
  subjectIds: readonly string[];
  priceMicros: bigint;
  hasFailed: boolean;
  createdAt: number;
}

/** Gives back what jobs that ended use of limits: their place, and their price where they failed. */
export async function giveBack(tx: Tx, ended: readonly EndedUse[]): Promise<void> {
  const limits = await readLimits(
    tx,
    ended.flatMap(({ subjectIds }) => subjectIds),
    jobMeters,
  );
  await saveLimits(
    tx,
    limits.flatMap((limit) => {
      const own = ended.filter(({ subjectIds }) => subjectIds.includes(limit.subject.id));
      const returned = returnedBy(own, limit);
      // A limit that was removed and set again may not have counted all of them.
      return returned === 0n ? [] : { ...limit, used: limit.used > returned ? limit.used - returned : 0n };
    }),
  );
}

function returnedBy(ended: readonly EndedUse[], { meter, startsAt }: Limit): bigint {
  if (meter === 'open') return BigInt(ended.length);
  if (meter === 'waiting' || meter === 'input') return 0n;
  return ended
    .filter(({ hasFailed, createdAt }) => hasFailed && createdAt >= startsAt)
    .reduce((sum, { priceMicros }) => sum + priceMicros, 0n);
}
