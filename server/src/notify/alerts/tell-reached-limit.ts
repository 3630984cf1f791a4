import { readNames } from '../../accounts/names-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import type { ReachedLimit } from '../../money/limits/count-uses.ts';
import {
  atTime,
  isOfMoney,
  type JobMeter,
  type Limit,
  type LimitDefaults,
} from '../../money/limits/limit.ts';
import { readLimits, saveLimits } from '../../money/limits/limit-store.ts';
import { underDefaults } from '../../money/limits/list-limits.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import type { SpentLimit } from './alerts.ts';
import { presentSpent } from './alerts-json.ts';

/** Reports a limit once in its hour, day or month, but not if a job of the refused batch would still fit. */
export async function tellReachedLimit(
  { database, limitDefaults }: { database: Database; limitDefaults: LimitDefaults },
  { accountId, priceMicros, count }: { accountId: string; priceMicros: bigint; count: number },
  { subject, meter, told, most }: ReachedLimit,
): Promise<void> {
  if (told.reached || subject.kind === 'client_token' || !isOfMoney(meter)) return;
  await database.transaction(async (tx) => {
    const [account] = await lockBalances(tx, [accountId]);
    if (account?.isErased !== false) return;
    const at = await readNow(tx);
    const limit = await readNowUnder(tx, limitDefaults, { subject, meter }, at);
    // Another process has reported the limit, or the limit was changed.
    if (limit?.most !== most || limit.told.reached) return;
    if ((most - limit.used) * BigInt(count) >= priceMicros) return;
    await saveLimits(tx, [{ ...limit, told: { ...limit.told, reached: true } }]);
    const name = (await readNames(tx, 'accounts', [accountId])).get(accountId) ?? '';
    const data: SpentLimit = presentSpent({ id: accountId, name }, { ...limit, most });
    await recordNotices(tx, [{ accountId, type: 'spend_limit.reached', aboutId: newId(at), at, data }]);
  });
}

async function readNowUnder(
  tx: Tx,
  defaults: LimitDefaults,
  { subject, meter }: Pick<Limit<JobMeter>, 'subject' | 'meter'>,
  nowMs: number,
): Promise<Limit<JobMeter> | undefined> {
  const of = [meter];
  const stored = await readLimits(tx, [subject.id], of);
  const [limit] = await underDefaults(tx, stored, { subjects: [subject], of, defaults, nowMs });
  return limit && atTime(limit, nowMs);
}
