import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../../base/db/schema.ts';

/** The sums of an account's entries up to and including `lastId`. */
export interface EntrySums {
  balance: number;
  reserved: number;
  /** The number of jobs that these entries ended. `captured` and `released` are sums of prices. */
  ended: number;
  captured: number;
  released: number;
  lastId: number;
}

export const balanceChange = sql`case kind when 'credit' then amount_micros
  when 'capture' then -amount_micros when 'debit' then -amount_micros else 0 end`;
export const reservedChange = sql`case kind when 'reserve' then amount_micros
  when 'credit' then 0 when 'debit' then 0 else -amount_micros end`;

export const endedChange = sql`case when kind in ('capture', 'release') then 1 else 0 end`;
export const capturedChange = sql`case kind when 'capture' then amount_micros else 0 end`;
export const releasedChange = sql`case kind when 'release' then amount_micros else 0 end`;

export interface AccountSums extends EntrySums {
  account: string;
  entries: number;
}

/** Sums entries by account. Later entries have an id above `lastId`, so the sums stay correct during writes. */
export async function sumNextEntries(
  queries: Queries,
  { after, rows }: { after: { account: string; lastId: number | null } | undefined; rows: number },
): Promise<AccountSums[]> {
  // Avoids `(account_id, id) > (…)`: with it, SQLite would read an account's entries from the first one for every page.
  const ofSame =
    after && after.lastId !== null
      ? await sumPage(queries, sql`account_id = ${after.account} and id > ${after.lastId}`, rows)
      : [];
  const left = rows - (ofSame[0]?.entries ?? 0);
  if (left === 0) return ofSame;
  const isOther = after ? sql`account_id > ${after.account}` : sql`true`;
  return [...ofSame, ...(await sumPage(queries, isOther, left))];
}

async function sumPage(queries: Queries, isNext: RawBuilder<unknown>, rows: number): Promise<AccountSums[]> {
  const page = await sql<AccountSums>`select account_id as account, sum(${balanceChange}) as balance,
      sum(${reservedChange}) as reserved, sum(${endedChange}) as ended, sum(${capturedChange}) as captured,
      sum(${releasedChange}) as released, max(id) as "lastId", count(*) as entries
    from (select account_id, id, kind, amount_micros from entries where ${isNext}
      order by account_id, id limit ${rows}) as page
    group by account_id order by account_id`.execute(queries);
  return page.rows;
}
