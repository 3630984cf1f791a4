import { sql } from 'kysely';
import type { Queries } from '../db/schema.ts';
import { betweenPages } from './id-pages-store.ts';

/** The sums of an account's entries up to and including `lastId`. */
export interface EntrySums {
  balance: number;
  reserved: number;
  lastId: number;
}

/** What an entry adds to the balance, and to the reserved amount. */
export const balanceChange = sql`case kind when 'credit' then amount_micros
  when 'capture' then -amount_micros when 'debit' then -amount_micros else 0 end`;
export const reservedChange = sql`case kind when 'reserve' then amount_micros
  when 'credit' then 0 when 'debit' then 0 else -amount_micros end`;

type Row = EntrySums & { account: string };

/**
 * Sums all entries by account, page by page in the order of accounts and ids. Entries of one account are
 * written under its lock, so later ones have an id above `lastId`: the sums stay correct during writes.
 */
export async function sumEntries(
  queries: Queries,
  pageSize: number,
  signal?: AbortSignal,
): Promise<Map<string, EntrySums>> {
  const sums = new Map<string, EntrySums>();
  for (let last: Row | undefined; ; ) {
    const after = last ? sql`(account_id, id) > (${last.account}, ${last.lastId})` : sql`true`;
    const { rows } = await sql<Row>`select account_id as account, sum(${balanceChange}) as balance,
        sum(${reservedChange}) as reserved, max(id) as "lastId"
      from (select account_id, id, kind, amount_micros from entries where ${after}
        order by account_id, id limit ${sql.lit(pageSize)}) as page
      group by account_id order by account_id`.execute(queries);
    last = rows.at(-1);
    if (!last) return sums;
    for (const { account, balance, reserved, lastId } of rows) {
      const before = sums.get(account) ?? { balance: 0, reserved: 0 };
      sums.set(account, {
        balance: before.balance + balance,
        reserved: before.reserved + reserved,
        lastId,
      });
    }
    await betweenPages(signal);
  }
}
