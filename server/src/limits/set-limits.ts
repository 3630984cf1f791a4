import { readNow } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { lockBalances } from '../ledger/ledger-store.ts';
import {
  amountOf,
  defaultOf,
  type Limit,
  type LimitChanges,
  type LimitDefaults,
  type Meter,
  meters,
  type Subject,
  startOf,
  wordOf,
} from './limit.ts';
import { measureUse, readLimits, removeLimit, saveLimits } from './limit-store.ts';

/** Sets and removes limits of an account or a key, and returns what they were. What its jobs use already counts. */
export async function setLimits(
  tx: Tx,
  {
    accountId,
    subject,
    changes,
    defaults,
  }: { accountId: string; subject: Subject; changes: LimitChanges; defaults: LimitDefaults },
): Promise<LimitChanges> {
  await lockBalances(tx, [accountId]);
  const now = await readNow(tx);
  const before = await readLimits(tx, [subject.id], meters);
  const saved: Limit[] = [];
  const were: { -readonly [Of in Meter]?: LimitChanges[Of] } = {};
  for (const meter of meters) {
    const most = changes[meter];
    if (most === undefined) continue;
    const own = before.find((one) => one.meter === meter && !one.isDefault);
    were[meter] = own ? own.most : 'default';
    const isLifted = most === null && defaultOf(defaults, subject, meter) !== null;
    if (most === 'default' || (most === null && !isLifted)) await removeLimit(tx, subject, meter);
    else {
      const known = before.find((one) => one.meter === meter) ?? (await begin(tx, subject, meter, now));
      saved.push({ ...known, most, isDefault: false, told: false });
    }
  }
  await saveLimits(tx, saved);
  return were;
}

async function begin(tx: Tx, subject: Subject, meter: Meter, nowMs: number) {
  const startsAt = startOf(meter, nowMs);
  return { subject, meter, used: await measureUse(tx, subject, { meter, startsAt }), startsAt, told: false };
}

/** Limits of a key or client token that is being made, which has used nothing. */
export async function beginLimits(tx: Tx, subject: Subject, changes: LimitChanges): Promise<void> {
  const now = await readNow(tx);
  await saveLimits(
    tx,
    meters.flatMap((meter) => {
      const most = changes[meter];
      if (most === undefined || most === 'default') return [];
      return { subject, meter, most, isDefault: false, used: 0n, startsAt: startOf(meter, now), told: false };
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

/** As in the audit log: `spend_day: "5.00"`, `open: 20`, `requests_second: 10`; null for none, or `default`. */
export function inWords(limits: LimitChanges): Record<string, string | number | null> {
  const words: Record<string, string | number | null> = {};
  for (const meter of meters) {
    const most = limits[meter];
    if (most !== undefined) words[wordOf[meter]] = typeof most === 'bigint' ? amountOf(meter, most) : most;
  }
  return words;
}
