import { sql } from 'kysely';
import { isPostgres } from '../db/rows.ts';
import type { JobsTable, Queries } from '../db/schema.ts';
import type { Job } from './job.ts';
import { columnsOf } from './job-list-store.ts';
import { toJob } from './job-store.ts';

/** Enough to see what was changed between two prompts. */
const promptLength = 2_000;

/**
 * The jobs from which a job comes, the nearest first: as many as are still there in a row, and at most `limit`. An
 * origin is always older, so there are no circles.
 */
export async function listAncestors(
  queries: Queries,
  { accountId, origin }: Pick<Job, 'accountId' | 'origin'>,
  limit: number,
): Promise<Job[]> {
  if (!origin) return [];
  const { rows } = await sql<JobsTable>`
    with recursive line (job_id, depth) as (
      select ${isPostgres(queries) ? sql`${origin.jobId}::uuid` : origin.jobId}, 1
      union all select jobs.origin_job_id, line.depth + 1 from line join jobs on jobs.id = line.job_id
        where jobs.origin_job_id is not null and line.depth < ${limit})
    select ${columnsOf(promptLength)} from line join jobs on jobs.id = line.job_id
    where jobs.account_id = ${accountId} order by line.depth`.execute(queries);
  return rows.map(toJob);
}

/** The jobs that come from a job, newest first. */
export async function listChildren(
  queries: Queries,
  { accountId, id }: Pick<Job, 'accountId' | 'id'>,
  limit: number,
): Promise<Job[]> {
  const { rows } = await sql<JobsTable>`select ${columnsOf(promptLength)} from jobs
    where jobs.origin_job_id = ${id} and jobs.origin_job_id is not null and jobs.account_id = ${accountId}
    order by jobs.id desc limit ${limit}`.execute(queries);
  return rows.map(toJob);
}
