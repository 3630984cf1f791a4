import { sql } from 'kysely';
import { type Account, nameContains, toAccount } from '../../accounts/account-store.ts';
import type { Queries } from '../../db/schema.ts';

export interface CountedAccount extends Account {
  members: number;
  /** Keys that are not disabled. */
  keys: number;
}

/** Accounts by name: those whose name contains the text, or the one with that id. */
export async function listCountedAccounts(
  queries: Queries,
  { id, name, limit }: { id?: string; name?: string; limit: number },
): Promise<CountedAccount[]> {
  const rows = await queries
    .selectFrom('accounts')
    .selectAll()
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
    ])
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .$if(name !== undefined, (query) => query.where(nameContains(name ?? '')))
    .orderBy(sql`lower(name)`)
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toAccount(row),
    members: row.members ?? 0,
    keys: row.keys ?? 0,
  }));
}
