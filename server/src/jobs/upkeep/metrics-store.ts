import { sql } from 'kysely';
import { isWaiting } from '../../base/db/job-predicates.ts';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';

// Event numbers are assigned before the commit. After this time, no transaction can still commit a smaller number.
const settleMs = 2_000;

export interface Ending {
  seq: number;
  model: string;
  route: string | null;
  status: 'done' | 'failed';
  error_code: string | null;
  /** The time from the start of the first attempt to the job's end; null if there was no attempt. */
  ms: number | null;
}

/** Lists the ended jobs that were not purged, oldest first. */
export async function listEndings(queries: Queries, afterSeq: number, limit: number): Promise<Ending[]> {
  const { rows } = await sql<Ending>`select events.seq, jobs.model, jobs.route, jobs.status, jobs.error_code,
      jobs.finished_at - jobs.started_at as ms
    from events join jobs on jobs.id = events.job_id
    where events.seq > ${afterSeq} and events.created_at not between ${nowMs} - ${sql.lit(settleMs)} and ${nowMs}
    order by events.seq limit ${sql.lit(limit)}`.execute(queries);
  return rows;
}

export interface WaitingCount {
  model: string;
  waiting: number;
  /** The id of the oldest job, which contains its creation time. */
  oldest: string;
}

/** Counts waiting jobs from the queue's index alone. */
export async function countWaiting(queries: Queries): Promise<WaitingCount[]> {
  const { rows } = await sql<WaitingCount>`select model, count(*) as waiting, min(cast(id as text)) as oldest
    from jobs where ${isWaiting} group by model`.execute(queries);
  return rows;
}

export async function countPendingDeliveries(
  queries: Queries,
): Promise<{ pending: number; overdueMs: number }> {
  const { rows } = await sql<{ pending: number; oldest: number | null; now: number }>`select
      count(*) as pending, min(claimable_at) as oldest, ${nowMs} as now
    from deliveries where worker is null and status = 'pending' and lane is not null`.execute(queries);
  const { pending, oldest, now } = rows[0] ?? { pending: 0, oldest: null, now: 0 };
  return { pending, overdueMs: oldest === null ? 0 : Math.max(0, now - oldest) };
}
