import { readNames } from '../../accounts/names-store.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import { changesByAccount, type Entry } from '../../money/ledger/entry.ts';
import type { LockedAccount } from '../../money/ledger/ledger-store.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import { fallsBelow, type LowBalance } from './alerts.ts';

/** `locked` has the earlier balances, read under this transaction's lock, so that each fall is reported once. */
export async function tellLowBalances(
  tx: Tx,
  locked: readonly LockedAccount[],
  entries: readonly Entry[],
): Promise<void> {
  const changes = changesByAccount(entries);
  const changeOf = ({ id }: LockedAccount) => changes.get(id)?.balance ?? 0n;
  const fallen = locked.filter((account) => fallsBelow(account, changeOf(account)));
  if (fallen.length === 0) return;
  const names = await readNames(
    tx,
    'accounts',
    fallen.map(({ id }) => id),
  );
  const at = await readNow(tx);
  await recordNotices(
    tx,
    fallen.map((account) => ({
      accountId: account.id,
      type: 'balance.low',
      aboutId: newId(at),
      at,
      data: {
        account_id: account.id,
        account_name: names.get(account.id) ?? '',
        threshold: formatMicros(account.alerts.balanceMicros ?? 0n),
        balance: formatMicros(account.balanceMicros + changeOf(account)),
      } satisfies LowBalance,
    })),
  );
}
