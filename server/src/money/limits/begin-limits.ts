import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { type LimitChanges, meters, type Subject, startOf, toldNothing } from './limit.ts';
import { readLimits, saveLimits } from './limit-store.ts';

export async function beginLimits(tx: Tx, subject: Subject, changes: LimitChanges): Promise<void> {
  const now = await readNow(tx);
  await saveLimits(
    tx,
    meters.flatMap((meter) => {
      const most = changes[meter];
      if (most === undefined || most === 'default') return [];
      const startsAt = startOf(meter, now);
      return { subject, meter, most, isDefault: false, used: 0n, startsAt, told: toldNothing };
    }),
  );
}

/**
 * Copies a key's limits and their use to its successor. The count of unfinished jobs stays with the old key; `giveBack`
 * returns the prices of those that fail to both. The account must be locked.
 */
export async function passOnLimits(tx: Tx, fromKey: string, toKey: string): Promise<void> {
  const limits = await readLimits(tx, [fromKey], meters);
  await saveLimits(
    tx,
    limits.map((limit) => ({
      ...limit,
      subject: { kind: 'key', id: toKey },
      used: limit.meter === 'open' ? 0n : limit.used,
    })),
  );
}
