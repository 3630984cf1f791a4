import { randomUUID } from 'node:crypto';
import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { PriceGroupVersionsTable, Queries, Tx } from '../../base/db/schema.ts';
import { settingOf, writeSetting } from '../../base/db/settings-store.ts';
import type { PriceGroupDefinition } from './price-group.ts';

export interface PriceGroupVersion {
  id: string;
  version: number;
  /** Null if this version removed the group. */
  definition: PriceGroupDefinition | null;
  author: { id: string | null; name: string };
  createdAt: number;
}

export interface PriceGroup extends PriceGroupVersion {
  definition: PriceGroupDefinition;
  accounts: number;
}

/** Locks the group against concurrent changes, and inserts its row if it is missing. */
export async function lockPriceGroup(tx: Tx, id: string): Promise<void> {
  await tx
    .insertInto('price_groups')
    .values({ id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id }))
    .execute();
}

export async function lockPriceGroupIfThere(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('price_groups')
    .select('id')
    .where('id', '=', id)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

export async function deletePriceGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('price_groups').where('id', '=', id).execute();
}

export async function insertPriceGroupVersion(
  tx: Tx,
  { id, version, definition, author }: Omit<PriceGroupVersion, 'createdAt'>,
): Promise<void> {
  await tx
    .insertInto('price_group_versions')
    .values({
      ...{ group_id: id, version, definition: definition && JSON.stringify(definition) },
      ...{ author_id: author.id, author_name: author.name, created_at: nowMs },
    })
    .execute();
}

/** Newest first. */
export async function listPriceGroupVersions(
  queries: Queries,
  id: string,
  limit: number,
): Promise<PriceGroupVersion[]> {
  const rows = await queries
    .selectFrom('price_group_versions')
    .selectAll()
    .where('group_id', '=', id)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toVersion);
}

export async function listPriceGroups(queries: Queries, id?: string): Promise<PriceGroup[]> {
  const rows = await queries
    .selectFrom('price_groups')
    .innerJoin('price_group_versions as newest', 'newest.group_id', 'price_groups.id')
    .selectAll('newest')
    .select((eb) =>
      eb
        .selectFrom('accounts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('accounts.price_group', '=', 'price_groups.id')
        .as('accounts'),
    )
    .where('newest.version', '=', ({ selectFrom }) =>
      selectFrom('price_group_versions as own')
        .select(({ fn }) => fn.max('own.version').as('version'))
        .whereRef('own.group_id', '=', 'price_groups.id'),
    )
    .$if(id !== undefined, (query) => query.where('price_groups.id', '=', id ?? ''))
    .orderBy('price_groups.id')
    .execute();
  return rows.flatMap(({ accounts, ...row }) => {
    const { definition, ...version } = toVersion(row);
    return definition ? [{ ...version, definition, accounts: Number(accounts ?? 0) }] : [];
  });
}

export async function putPriceGroupOf(tx: Tx, accountId: string, group: string | null): Promise<void> {
  await tx.updateTable('accounts').set({ price_group: group }).where('id', '=', accountId).execute();
}

export function listGroupedAccounts(queries: Queries): Promise<{ id: string; price_group: string | null }[]> {
  return queries
    .selectFrom('accounts')
    .select(['id', 'price_group'])
    .where('price_group', 'is not', null)
    .execute();
}

const revision = 'price_groups_revision';

/** The revision of all prices, which every change of a group or of its accounts renews. */
export const pricesRevision = settingOf(revision);

/** Must be a transaction's last write, because all transactions that change prices wait for the lock that it takes. */
export async function renewPriceRevision(tx: Tx): Promise<void> {
  await writeSetting(tx, revision, randomUUID());
}

function toVersion(row: PriceGroupVersionsTable): PriceGroupVersion {
  return {
    id: row.group_id,
    version: row.version,
    definition: row.definition === null ? null : (JSON.parse(row.definition) as PriceGroupDefinition), // checked before it was written
    author: { id: row.author_id, name: row.author_name },
    createdAt: row.created_at,
  };
}
