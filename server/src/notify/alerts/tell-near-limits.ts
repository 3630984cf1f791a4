import { readNames } from '../../accounts/names-store.ts';
import type { Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import type { LockedAccount } from '../../money/ledger/ledger-store.ts';
import { isOfMoney, type Limit } from '../../money/limits/limit.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import { isNear, type NearLimit } from './alerts.ts';
import { presentSpent } from './alerts-json.ts';

export interface Near {
  account: LockedAccount;
  limit: Limit & { most: bigint };
  percent: number;
}

/**
 * Decides which limits to report: each at most once in its hour, day or month. Limits of client tokens, of which there
 * are thousands, are never reported. Pure.
 */
export function decideNear(
  limits: readonly Limit[],
  accounts: readonly LockedAccount[],
  accountOf: (subjectId: string) => string | undefined,
): Near[] {
  if (accounts.every(({ alerts }) => alerts.spendPercent === null)) return [];
  return limits.flatMap((limit) => {
    const { subject, meter, most, used, told } = limit;
    if (told.near || most === null || subject.kind === 'client_token' || !isOfMoney(meter)) return [];
    const accountId = accountOf(subject.id);
    const account = accounts.find(({ id }) => id === accountId);
    const percent = account?.alerts.spendPercent ?? null;
    if (!account || percent === null || !isNear(percent, { used, most })) return [];
    return { account, limit: { ...limit, most }, percent };
  });
}

/** Writes the events. The caller must save that the limits were reported. */
export async function tellNearLimits(tx: Tx, near: readonly Near[], nowMs: number): Promise<void> {
  if (near.length === 0) return;
  const names = await readNames(
    tx,
    'accounts',
    near.map(({ account }) => account.id),
  );
  await recordNotices(
    tx,
    near.map(({ account, limit, percent }) => ({
      accountId: account.id,
      type: 'spend_limit.near',
      aboutId: newId(nowMs),
      at: nowMs,
      data: {
        ...presentSpent({ id: account.id, name: names.get(account.id) ?? '' }, limit),
        percent,
      } satisfies NearLimit,
    })),
  );
}
