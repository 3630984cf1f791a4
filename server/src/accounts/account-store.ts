import { type RawBuilder, sql } from 'kysely';
import { nowMs } from '../base/db/rows.ts';
import type { Queries, Tx } from '../base/db/schema.ts';
import { isUuid, readId } from '../base/std/ids.ts';

export interface Account {
  id: string;
  name: string;
  balanceMicros: bigint;
  reservedMicros: bigint;
  debtMicros: bigint;
  createdAt: number;
  /** When the account was disabled. Since then its keys are refused. Null if it is enabled. */
  disabledAt: number | null;
  disabledReason: string | null;
  /** When the account's erasure began, which also disabled the account. */
  erasedAt: number | null;
  /** The account's price group; null if the models' own prices apply. */
  priceGroup: string | null;
}

const columns = [
  'id',
  'name',
  'balance_micros',
  'reserved_micros',
  'debt_micros',
  'created_at',
  'disabled_at',
  'disabled_reason',
  'erased_at',
  'price_group',
] as const;

export async function insertAccountIfNew(tx: Tx, account: { id: string; name: string }): Promise<boolean> {
  const result = await tx
    .insertInto('accounts')
    .values({ ...account, balance_micros: 0n, reserved_micros: 0n, created_at: nowMs })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findAccount(queries: Queries, idOrName: string): Promise<Account | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(columns)
    .where(isUuid(idOrName) ? 'id' : 'name', '=', asKept(idOrName))
    .executeTakeFirst();
  return row && toAccount(row);
}

/** Writes an id in lowercase: PostgreSQL would find an uppercase id, but SQLite would not. */
function asKept(idOrName: string): string {
  return readId(idOrName) ?? idOrName;
}

export interface CountedAccount extends Account {
  members: number;
  /** The number of keys that are not disabled. */
  keys: number;
}

export async function findCountedAccount(
  queries: Queries,
  idOrName: string,
): Promise<CountedAccount | undefined> {
  const row = await selectCounted(queries)
    .where(isUuid(idOrName) ? 'id' : 'name', '=', asKept(idOrName))
    .executeTakeFirst();
  return row && toCounted(row);
}

/** Lists accounts, newest first. `search` is a part of the name, or an id. `isOwing` selects accounts that owe. */
export async function listAccountPage(
  queries: Queries,
  {
    search = '',
    isOwing = false,
    before,
    limit,
  }: { search?: string | undefined; isOwing?: boolean; before?: string | undefined; limit: number },
): Promise<CountedAccount[]> {
  const rows = await selectCounted(queries)
    .$if(search !== '', (query) =>
      query.where((eb) =>
        eb.or([nameContains(search), ...(isUuid(search) ? [eb('id', '=', asKept(search))] : [])]),
      ),
    )
    .$if(isOwing, (query) => query.where('debt_micros', '>', sql<bigint>`0`))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toCounted);
}

function selectCounted(queries: Queries) {
  return queries
    .selectFrom('accounts')
    .select(columns)
    .select((eb) => [
      eb
        .selectFrom('members')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('members.account_id', '=', 'accounts.id')
        .as('members'),
      eb
        .selectFrom('api_keys')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('api_keys.account_id', '=', 'accounts.id')
        .where('api_keys.disabled_at', 'is', null)
        .as('keys'),
    ]);
}

function nameContains(text: string): RawBuilder<boolean> {
  const escaped = text.toLowerCase().replace(/[!%_]/g, '!$&');
  return sql<boolean>`lower(name) like ${`%${escaped}%`} escape '!'`;
}

export async function countAccounts(queries: Queries): Promise<number> {
  const { count } = await queries
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function putDisabled(tx: Tx, accountId: string, reason: string | null): Promise<boolean> {
  const result = await tx
    .updateTable('accounts')
    .set({ disabled_at: reason === null ? null : nowMs, disabled_reason: reason })
    .where('id', '=', accountId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks an account as erased. A repeated call keeps the first reason. */
export async function putErased(tx: Tx, accountId: string, reason: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({
      erased_at: sql<number>`coalesce(erased_at, ${nowMs})`,
      disabled_at: sql<number>`coalesce(disabled_at, ${nowMs})`,
      disabled_reason: sql<string>`case when erased_at is null then ${reason} else disabled_reason end`,
      price_group: null, // so that the group can be removed
    })
    .where('id', '=', accountId)
    .execute();
}

function toCounted({
  members,
  keys,
  ...row
}: Parameters<typeof toAccount>[0] & { members: number | null; keys: number | null }): CountedAccount {
  return { ...toAccount(row), members: members ?? 0, keys: keys ?? 0 };
}

function toAccount(row: {
  id: string;
  name: string;
  balance_micros: bigint;
  reserved_micros: bigint;
  debt_micros: bigint;
  created_at: number;
  disabled_at: number | null;
  disabled_reason: string | null;
  erased_at: number | null;
  price_group: string | null;
}): Account {
  return {
    id: row.id,
    name: row.name,
    balanceMicros: row.balance_micros,
    reservedMicros: row.reserved_micros,
    debtMicros: row.debt_micros,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    erasedAt: row.erased_at,
    priceGroup: row.price_group,
  };
}
