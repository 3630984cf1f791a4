import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { invalidField } from '../../errors.ts';
import { lockLivingAccountOf } from '../account-of.ts';
import { lockPriceGroupIfThere, putPriceGroupOf, renewPriceRevision } from './price-group-store.ts';

/** Null restores the models' prices. Accepted jobs keep their price. @throws AppError `not_found`, `invalid_request` */
export async function assignPriceGroup(
  { database }: { database: Database },
  { account: idOrName, group }: { account: string; group: string | null },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    // Locks the group before the account, so that the group cannot be removed in between.
    if (group !== null && !(await lockPriceGroupIfThere(tx, group)))
      throw invalidField('/price_group', `names no price group: there is no "${group}".`);
    const { id: accountId, priceGroup: before } = await lockLivingAccountOf(tx, idOrName);
    if (before === group) return;
    await putPriceGroupOf(tx, accountId, group);
    await insertAuditEntry(tx, by, {
      ...{ action: 'account.price_group_changed', accountId, subject: accountId },
      detail: { from: before, to: group },
    });
    await renewPriceRevision(tx);
  });
  database.notify('models');
}
