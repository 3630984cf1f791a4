import { sql } from 'kysely';
import { isLeased, isWaiting } from '../../db/job-predicates.ts';
import type { Queries } from '../../db/schema.ts';
import type { Line, RecentJob, RunningOne } from './queue-state.ts';

// Every job of this many at the head of a line, then every 16th, and every 256th of a long line: what is said of a job
// far back is not more exact than that.
const eachUpTo = 256;
const sixteenthUpTo = 4_096;

/** All lines, read from the index of waiting jobs alone: 100,000 jobs took 100 to 200 ms of SQLite on a busy machine. */
export async function readLines(queries: Queries): Promise<Line[]> {
  const { rows } = await sql<{ model: string; account_id: string; id: string; rank: number }>`
    select model, account_id, id, rank from (
      select model, account_id, id, row_number() over own as rank, lead(id) over own as next
      from jobs where ${isWaiting} window own as (partition by model, account_id order by id)) as waiting
    where rank <= ${sql.lit(eachUpTo)} or (rank <= ${sql.lit(sixteenthUpTo)} and rank % 16 = 0) or rank % 256 = 0
      or next is null
    order by model, account_id, rank`.execute(queries);
  const lines: (Line & { marks: { rank: number; id: string }[] })[] = [];
  for (const { model, account_id: accountId, id, rank } of rows) {
    const last = lines.at(-1);
    if (last?.model === model && last.accountId === accountId) last.marks.push({ rank, id });
    else lines.push({ model, accountId, marks: [{ rank, id }] });
  }
  return lines;
}

export async function readRunningJobs(queries: Queries): Promise<RunningOne[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(['account_id', 'key_id', 'model', 'route', 'created_at', 'started_at'])
    .where(isLeased)
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    route: row.route,
    createdAt: row.created_at,
    startedAt: row.started_at ?? 0, // a running job has started
  }));
}

interface RecentRow {
  account_id: string;
  model: string;
  route: string | null;
  created_at: number;
  started_at: number;
  finished_at: number;
}

/** The jobs that ended last, newest first, without those that were cancelled or never began. */
export async function readRecent(queries: Queries, limit: number): Promise<RecentJob[]> {
  // By their events, which come in the order of the ends and are found without reading the waiting jobs.
  const { rows } = await sql<RecentRow>`
    select account_id, model, route, created_at, started_at, finished_at from jobs
    where id in (select job_id from events order by seq desc limit ${limit})
      and started_at is not null and finished_at is not null and (error_code is null or error_code <> 'cancelled')
    order by finished_at desc`.execute(queries);
  return rows.map((row) => ({
    accountId: row.account_id,
    model: row.model,
    route: row.route,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }));
}
