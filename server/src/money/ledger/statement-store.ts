import { sql } from 'kysely';
import type { Queries } from '../../base/db/schema.ts';
import type { EntrySum, Month } from './statement.ts';

// The number of entries that one query reads: few enough that no page delays other queries for long.
const pageSize = 5_000;

interface SumRow {
  kind: EntrySum['kind'];
  model: string | null;
  /** A boolean; on SQLite, 0 or 1. */
  is_before: number | boolean;
  is_after: number | boolean;
  count: number;
  amount: number;
  last_id: number;
}

export async function sumEntries(
  queries: Queries,
  accountId: string,
  month: Month,
): Promise<{ before: EntrySum[]; within: EntrySum[] }> {
  const sums = { before: new Map<string, EntrySum>(), within: new Map<string, EntrySum>() };
  for (let after = 0; ; ) {
    const rows = await sumPage(queries, accountId, { after, month });
    for (const row of rows) if (!row.is_after) add(row.is_before ? sums.before : sums.within, row);
    if (rows.length === 0) break;
    after = Math.max(...rows.map((row) => row.last_id));
  }
  return { before: [...sums.before.values()], within: [...sums.within.values()] };
}

async function sumPage(
  queries: Queries,
  accountId: string,
  { after, month }: { after: number; month: Month },
): Promise<SumRow[]> {
  const { rows } = await sql<SumRow>`
    select kind, model, is_before, is_after, count(*) as count, cast(sum(amount_micros) as bigint) as amount, max(id) as last_id
    from (
      select id, kind, model, amount_micros, created_at < ${month.startsAt} as is_before, created_at >= ${month.endsAt} as is_after
      from entries where account_id = ${accountId} and id > ${after} order by id limit ${sql.lit(pageSize)}) as page
    group by kind, model, is_before, is_after
    order by last_id`.execute(queries);
  return rows;
}

function add(sums: Map<string, EntrySum>, { kind, model, count, amount }: SumRow): void {
  const id = `${kind} ${model ?? ''}`;
  const sum = sums.get(id) ?? { kind, model, count: 0, amountMicros: 0n };
  sums.set(id, { ...sum, count: sum.count + Number(count), amountMicros: sum.amountMicros + BigInt(amount) });
}
