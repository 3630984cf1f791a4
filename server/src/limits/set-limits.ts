import { readNow } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { lockBalances } from '../ledger/ledger-store.ts';
import {
  amountOf,
  type Limit,
  type LimitChanges,
  type Meter,
  meters,
  rateMeters,
  type Subject,
  startOf,
  wordOf,
} from './limit.ts';
import { measureUse, readLimits, removeLimit, saveLimits } from './limit-store.ts';

/** Sets and removes limits of an account or a key. What its jobs use already counts. */
export async function setLimits(
  tx: Tx,
  { accountId, subject, changes }: { accountId: string; subject: Subject; changes: LimitChanges },
): Promise<void> {
  await lockBalances(tx, [accountId]);
  const now = await readNow(tx);
  const before = await readLimits(tx, [subject.id], meters);
  const saved: Limit[] = [];
  for (const meter of meters) {
    const most = changes[meter];
    if (most === undefined) continue;
    if (most === null) await removeLimit(tx, subject, meter);
    else
      saved.push({
        ...(before.find((one) => one.meter === meter) ?? (await begin(tx, subject, meter, now))),
        most,
      });
  }
  await saveLimits(tx, saved);
}

async function begin(tx: Tx, subject: Subject, meter: Meter, nowMs: number): Promise<Omit<Limit, 'most'>> {
  const startsAt = startOf(meter, nowMs);
  const isRate = rateMeters.some((one) => one === meter);
  return { subject, meter, used: isRate ? 0n : await measureUse(tx, subject, { meter, startsAt }), startsAt };
}

/** Limits of a key or client token that is being made, which has used nothing. */
export async function beginLimits(tx: Tx, subject: Subject, most: LimitChanges): Promise<void> {
  const now = await readNow(tx);
  await saveLimits(
    tx,
    meters.flatMap((meter) => {
      const of = most[meter] ?? null;
      return of === null ? [] : { subject, meter, most: of, used: 0n, startsAt: startOf(meter, now) };
    }),
  );
}

/** Gives the limits of a key to its successor, with what was spent of them. Unfinished jobs stay with the old key. */
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

/** As in the audit log: `spend_day: "5.00"`, `open: 20`, `requests_second: 10`; null for one that was removed. */
export function inWords(limits: LimitChanges): Record<string, string | number | null> {
  const words: Record<string, string | number | null> = {};
  for (const meter of meters) {
    const most = limits[meter];
    if (most !== undefined) words[wordOf[meter]] = most === null ? null : amountOf(meter, most);
  }
  return words;
}
