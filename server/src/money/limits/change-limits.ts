import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { lockLiving } from '../ledger/lock-living.ts';
import {
  defaultOf,
  inWords,
  type Limit,
  type LimitChanges,
  type LimitDefaults,
  type Meter,
  meters,
  type Subject,
  startOf,
  toldNothing,
} from './limit.ts';
import { measureUses, readLimits, removeLimit, saveLimits } from './limit-store.ts';

interface Limited {
  accountId: string;
  subject: Subject;
  changes: LimitChanges;
  defaults: LimitDefaults;
}

/** Changes limits. Existing jobs count toward a new limit. @throws AppError `invalid_request` for an erased account */
export async function changeLimits(tx: Tx, limited: Limited, by: Actor): Promise<void> {
  const { accountId, subject, changes } = limited;
  await lockLiving(tx, accountId);
  const before = inWords(await set(tx, limited));
  const detail = {
    ...inWords(changes),
    ...Object.fromEntries(Object.entries(before).map(([word, most]) => [`${word}_before`, most])),
  };
  const entry = { accountId, subject: subject.id, detail };
  await insertAuditEntry(tx, by, { action: `${subject.kind}.limits_changed`, ...entry });
}

/** Sets limits, and returns the previous values of those that change. */
async function set(tx: Tx, { subject, changes, defaults }: Limited): Promise<LimitChanges> {
  const now = await readNow(tx);
  const before = await readLimits(tx, [subject.id], meters);
  const saved: Limit[] = [];
  const were: { -readonly [Of in Meter]?: LimitChanges[Of] } = {};
  for (const meter of meters) {
    const most = changes[meter];
    if (most === undefined) continue;
    const own = before.find((one) => one.meter === meter && !one.isDefault);
    were[meter] = own ? own.most : 'default';
    const hasDefault = defaultOf(defaults, subject, meter) !== null;
    if (most === 'default' || (most === null && !hasDefault)) await removeLimit(tx, subject, meter);
    else {
      const known = before.find((one) => one.meter === meter) ?? (await begin(tx, subject, meter, now));
      saved.push({ ...known, most, isDefault: false, told: toldNothing });
    }
  }
  await saveLimits(tx, saved);
  return were;
}

async function begin(tx: Tx, subject: Subject, meter: Meter, nowMs: number) {
  const startsAt = startOf(meter, nowMs);
  const [used = 0n] = await measureUses(tx, [{ subject, meter, startsAt }]);
  return { subject, meter, used, startsAt, told: toldNothing };
}
