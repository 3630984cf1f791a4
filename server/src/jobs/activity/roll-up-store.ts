import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { classesPerE } from '../../base/std/duration-classes.ts';
import { countCaptures } from '../costs/count-margins-store.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const slots = sql`(select ${sql.lit(hourMs)} as slot_ms union all select ${sql.lit(dayMs)}) as slots`;
// Stands for the unknown key of a job that was removed before jobs were counted.
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * The duration class of a `done` job; null for others. A minimum of 1 ms protects the logarithm if the clock went back.
 */
export const durationClass = sql<number>`case when jobs.status = 'done' then cast(round(
  ln(cast(case when jobs.finished_at > jobs.created_at then jobs.finished_at - jobs.created_at + 1 else 1 end as real))
  * ${sql.lit(classesPerE)}) as bigint) end`;

/** The id of the account's last counted ledger entry; 0 if none was counted. */
export function countedThrough(
  accountId: RawBuilder<unknown>,
  progress: Progress = 'activity_progress',
): RawBuilder<number> {
  return sql<number>`coalesce((select entry_id from ${sql.table(progress)} where account_id = ${accountId}), 0)`;
}

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

interface Range {
  accountId: string;
  after: number;
  last: number;
}

const counts = [
  { progress: 'activity_progress', count: countEnds },
  { progress: 'margin_progress', count: countCaptures },
] as const;

/** Counts the jobs that end with the account's next ledger entries, each exactly once. */
export async function countNext(tx: Tx, accountId: string, limit: number): Promise<number> {
  const counted: number[] = [];
  for (const { progress } of counts) counted.push(await lockProgress(tx, progress, accountId));
  const after = Math.min(...counted);
  // An earlier version counted activity and margins separately, so one of the two may be behind and catches up here.
  const until = counted.every((entryId) => entryId === after) ? undefined : Math.max(...counted);
  const { entries, last } = await findNext(tx, { accountId, after, until }, limit);
  if (last === null) return 0;
  for (const [index, { progress, count }] of counts.entries()) {
    if (counted[index] !== after) continue;
    await count(tx, { accountId, after, last });
    await tx.updateTable(progress).set({ entry_id: last }).where('account_id', '=', accountId).execute();
  }
  return entries;
}

type Progress = (typeof counts)[number]['progress'];

async function lockProgress(tx: Tx, progress: Progress, accountId: string): Promise<number> {
  const locked = tx
    .selectFrom(progress)
    .select('entry_id')
    .where('account_id', '=', accountId)
    .$if(isPostgres(tx), (query) => query.forUpdate());
  const known = await locked.executeTakeFirst();
  if (known) return known.entry_id;
  await tx
    .insertInto(progress)
    .values({ account_id: accountId, entry_id: 0 })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  return (await locked.executeTakeFirstOrThrow()).entry_id;
}

async function findNext(
  tx: Tx,
  { accountId, after, until }: { accountId: string; after: number; until: number | undefined },
  limit: number,
): Promise<{ entries: number; last: number | null }> {
  const next = tx
    .selectFrom('entries')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .$if(until !== undefined, (query) => query.where('id', '<=', until ?? 0))
    .orderBy('id')
    .limit(limit);
  const { entries, last } = await tx
    .selectFrom(next.as('next'))
    .select(({ fn }) => [fn.countAll<number>().as('entries'), fn.max('id').as('last')])
    .executeTakeFirstOrThrow();
  return { entries: Number(entries), last: last === null ? null : Number(last) };
}

async function countEnds(tx: Tx, { accountId, after, last }: Range): Promise<void> {
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
