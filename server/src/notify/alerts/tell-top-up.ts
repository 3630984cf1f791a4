import { readNames } from '../../accounts/names-store.ts';
import type { TellTopUp } from '../../accounts/payments/top-ups/card-events.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import type { StoppedTopUp } from './alerts.ts';

/** Runs in the transaction that stops the top-up. */
export const tellTopUp: TellTopUp = async (tx, { accountId, reason, card }) => {
  const names = await readNames(tx, 'accounts', [accountId]);
  const data: StoppedTopUp = {
    ...{ account_id: accountId, account_name: names.get(accountId) ?? '', reason },
    card: card && `${card.brand} ${card.last4}`,
  };
  const at = await readNow(tx);
  await recordNotices(tx, [{ accountId, type: 'top_up.stopped', aboutId: newId(at), at, data }]);
};
