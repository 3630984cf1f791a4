import { type RawBuilder, sql } from 'kysely';
import { isPostgres, rowsOf } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { captureFacts, columns, costFacts, splits, sums } from './margin-facts-store.ts';

export async function countCaptures(
  tx: Tx,
  { accountId, after, last }: { accountId: string; after: number; last: number },
): Promise<void> {
  const own = sql`entries.account_id = ${accountId} and entries.id > ${after} and entries.id <= ${last}`;
  await add(tx, captureFacts(sql`entries`, own));
}

/** Adds the costs of attempts that were not counted before, or whose cost has become known since. */
export async function countCosts(tx: Tx, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('attempt_costs')
    .select(['job_id', 'attempt'])
    .where('counted', '<>', 1)
    .limit(limit)
    .$if(isPostgres(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  if (rows.length === 0) return 0;
  const next = sql`(job_id, attempt) in (select * from ${rowsOf(tx, { job_id: 'uuid', attempt: 'integer' }, rows)} as next)`;
  await add(tx, costFacts(next));
  await sql`update attempt_costs set counted = 1 where ${next}`.execute(tx);
  return rows.length;
}

async function add(tx: Tx, facts: RawBuilder<unknown>): Promise<void> {
  const summed = sql.join(sums.map((sum) => sql`sum(${sql.ref(sum)})`));
  const more = sql.join(
    sums.map((sum) => sql`${sql.ref(sum)} = ${sql.ref(`margins.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`),
  );
  const split = sql.raw(splits.join(', '));
  // The rows are sorted, because concurrent counts lock rows of the same accounts and could deadlock.
  await sql`insert into margins (${columns}) select ${split}, ${summed} from (${facts}) as facts
    where true group by ${split} order by ${split}
    on conflict (${split}) do update set ${more}`.execute(tx);
}
