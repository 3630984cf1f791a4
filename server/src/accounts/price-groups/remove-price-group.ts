import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { AppError } from '../../errors.ts';
import {
  deletePriceGroup,
  insertPriceGroupVersion,
  listPriceGroups,
  listPriceGroupVersions,
  lockPriceGroupIfThere,
  type PriceGroup,
  renewPriceRevision,
} from './price-group-store.ts';

/** Removes a group, but not its versions. @throws AppError `not_found`; `invalid_request` if the group has accounts */
export async function removePriceGroup(
  { database }: { database: Database },
  id: string,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await lockPriceGroupIfThere(tx, id))) throw noSuchGroup(id);
    const [group] = await listPriceGroups(tx, id);
    if (group && group.accounts > 0)
      throw new AppError(
        'invalid_request',
        `${group.accounts === 1 ? 'One account is' : `${group.accounts} accounts are`} in the price group ${id}. Assign them another first.`,
      );
    const [newest] = await listPriceGroupVersions(tx, id, 1);
    const author = { id: by.personId, name: by.name };
    await insertPriceGroupVersion(tx, { id, version: (newest?.version ?? 0) + 1, definition: null, author });
    await deletePriceGroup(tx, id);
    await insertAuditEntry(tx, by, {
      ...{ action: 'price_group.removed', accountId: null, subject: id, detail: {} },
    });
    await renewPriceRevision(tx);
  });
  database.notify('models');
}

export async function readPriceGroup({ read }: Pick<Database, 'read'>, id: string): Promise<PriceGroup> {
  const [group] = await listPriceGroups(read, id);
  if (!group) throw noSuchGroup(id);
  return group;
}

export function noSuchGroup(id: string): AppError {
  return new AppError('not_found', `There is no price group "${id}".`);
}
