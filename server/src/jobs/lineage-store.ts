import { sql } from 'kysely';
import { isPostgres } from '../base/db/rows.ts';
import type { JobsTable, Queries } from '../base/db/schema.ts';
import type { Job } from './job.ts';
import { columnsOf } from './job-list-store.ts';
import { toJob } from './job-store.ts';

/** The number of prompt characters to read, enough to see the change between two prompts. */
const promptLength = 2_000;

export interface LineageLimits {
  ancestors: number;
  descendants: number;
  /** The number of steps from the job to its farthest descendants. */
  depth: number;
}

export interface Lineage {
  /** The chain of jobs from which this job was made, nearest first, up to the first removed job. */
  ancestors: Job[];
  /** The jobs made from this one. Each comes after its own origin, and siblings are newest first. */
  descendants: Job[];
}

/** Reads at most `limits` jobs in one query. Origins are older than their jobs, so there are no cycles. */
export async function readLineage(
  queries: Queries,
  { accountId, id, origin }: Pick<Job, 'accountId' | 'id' | 'origin'>,
  limits: LineageLimits,
): Promise<Lineage> {
  const uuid = (value: string | null) => (isPostgres(queries) ? sql`${value}::uuid` : sql`${value}`);
  const newestOf = (parent: string) => sql`(select jobs.id from jobs
    where jobs.origin_job_id = ${sql.ref(parent)} and jobs.origin_job_id is not null
    order by jobs.id desc limit 1)`;
  const olderThan = (parent: string, child: string) => sql`(select jobs.id from jobs
    where jobs.origin_job_id = ${sql.ref(parent)} and jobs.origin_job_id is not null and jobs.id < ${sql.ref(child)}
    order by jobs.id desc limit 1)`;
  const { rows } = await sql<JobsTable & { step: number }>`
    with recursive
      up (job_id, step) as (
        select ${uuid(origin?.jobId ?? null)}, -1
        union all select jobs.origin_job_id, up.step - 1 from up join jobs on jobs.id = up.job_id
          where jobs.origin_job_id is not null and up.step > ${-limits.ancestors}),
      down (job_id, parent_id, step) as (
        select ${newestOf('root.id')}, root.id, 1 from (select ${uuid(id)} as id) as root
        union all select
            case turn when 1 then ${newestOf('down.job_id')} else ${olderThan('down.parent_id', 'down.job_id')} end,
            case turn when 1 then down.job_id else down.parent_id end,
            case turn when 1 then down.step + 1 else down.step end
          from down cross join (select 1 as turn union all select 2) as turns
          where down.job_id is not null and (turn = 2 or down.step < ${limits.depth}))
    select line.step, ${columnsOf(promptLength)} from (
        select job_id, step from up
        union all select job_id, step from
          (select job_id, step from down where job_id is not null limit ${limits.descendants}) as descendants
      ) as line join jobs on jobs.id = line.job_id
    where jobs.account_id = ${accountId}`.execute(queries);
  const sorted = rows.sort((one, other) => one.step - other.step || (one.id < other.id ? 1 : -1));
  const jobsOf = (found: typeof rows) => found.map(toJob);
  return {
    ancestors: jobsOf(sorted.filter(({ step }) => step < 0)).reverse(),
    descendants: jobsOf(sorted.filter(({ step }) => step > 0)),
  };
}
