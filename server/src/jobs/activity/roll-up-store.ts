import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { classesPerE } from '../../base/std/duration-classes.ts';
import { countCaptures } from '../costs/count-margins-store.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const slots = sql`(select ${sql.lit(hourMs)} as slot_ms union all select ${sql.lit(dayMs)}) as slots`;
// Of a job that is not there any more, from before jobs were counted.
const nobody = '00000000-0000-0000-0000-000000000000';

/** Of the time from the create to the picture; null of a job that is not `done`. A clock that went back must not make a logarithm fail. */
export const durationClass = sql<number>`case when jobs.status = 'done' then cast(round(
  ln(cast(case when jobs.finished_at > jobs.created_at then jobs.finished_at - jobs.created_at + 1 else 1 end as real))
  * ${sql.lit(classesPerE)}) as bigint) end`;

/** The last entry of an account that was counted; 0 before the first. */
export function countedThrough(
  accountId: RawBuilder<unknown>,
  progress: 'activity_progress' | 'margin_progress' = 'activity_progress',
): RawBuilder<number> {
  return sql<number>`coalesce((select entry_id from ${sql.table(progress)} where account_id = ${accountId}), 0)`;
}

/** Accounts with entries that were not counted, at most this many. */
export async function findUncounted(queries: Queries, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select accounts.id from accounts left join activity_progress on activity_progress.account_id = accounts.id
      left join margin_progress on margin_progress.account_id = accounts.id
    where coalesce((select max(id) from entries where account_id = accounts.id), 0)
      > case when coalesce(margin_progress.entry_id, 0) < coalesce(activity_progress.entry_id, 0)
        then coalesce(margin_progress.entry_id, 0) else coalesce(activity_progress.entry_id, 0) end
    limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

/** Counts the jobs that the next entries of an account end, and returns how many entries that were. */
export function countNext(tx: Tx, accountId: string, limit: number): Promise<number> {
  return countOnce(tx, 'activity_progress', { accountId, limit, count });
}

/** Counts what the next entries of an account captured, and returns how many entries that were. */
export function countNextCaptures(tx: Tx, accountId: string, limit: number): Promise<number> {
  return countOnce(tx, 'margin_progress', { accountId, limit, count: countCaptures });
}

interface Range {
  accountId: string;
  after: number;
  last: number;
}

/**
 * Entries of one account become visible in the order of their numbers, so none is left out and none is counted twice, whoever
 * counts.
 */
async function countOnce(
  tx: Tx,
  progress: 'activity_progress' | 'margin_progress',
  {
    accountId,
    limit,
    count,
  }: { accountId: string; limit: number; count(tx: Tx, range: Range): Promise<void> },
): Promise<number> {
  await tx
    .insertInto(progress)
    .values({ account_id: accountId, entry_id: 0 })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  const { entry_id: after } = await tx
    .selectFrom(progress)
    .select('entry_id')
    .where('account_id', '=', accountId)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  const next = await tx
    .selectFrom('entries')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = next.at(-1)?.id;
  if (last === undefined) return 0;
  await count(tx, { accountId, after, last });
  await tx.updateTable(progress).set({ entry_id: last }).where('account_id', '=', accountId).execute();
  return next.length;
}

async function count(tx: Tx, { accountId, after, last }: Range) {
  await sql`insert into activity (account_id, slot_ms, slot, model, key_id, resolution, status, error_code,
      duration_class, jobs, price_micros)
    select ended.account_id, slot_ms, coalesce(jobs.created_at, ended.created_at) / slot_ms,
      coalesce(jobs.model, ended.model, ''), coalesce(jobs.key_id, ${nobody}), coalesce(jobs.resolution, ''),
      case kind when 'capture' then 'done' else 'failed' end, coalesce(jobs.error_code, ''),
      coalesce(${durationClass}, -1), count(*), sum(amount_micros)
    from (select * from entries where account_id = ${accountId} and id > ${after} and id <= ${last}
      and kind in ('capture', 'release')) as ended
    left join jobs on jobs.id = ended.job_id cross join ${slots}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    on conflict (account_id, slot_ms, slot, model, key_id, resolution, status, error_code, duration_class)
    do update set jobs = activity.jobs + excluded.jobs,
      price_micros = activity.price_micros + excluded.price_micros`.execute(tx);
}
