import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs } from '../base/db/rows.ts';
import type { Tx } from '../base/db/schema.ts';
import type { Job } from './job.ts';
import { toJob } from './job-store.ts';

export async function lockJobs(tx: Tx, jobIds: readonly string[]): Promise<Job[]> {
  const rows = await tx
    .selectFrom('jobs')
    .selectAll()
    .where(isAnyOf(tx, 'id', jobIds, 'uuid'))
    .orderBy('id')
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .execute();
  return rows.map(toJob);
}

/** Removes the client's data, and data derived from it, from jobs' rows. Facts and costs stay. */
export async function dropContent(tx: Tx, jobIds: readonly string[]): Promise<void> {
  // The deletion time is never before the job's end, even if the clock went back.
  await sql`update jobs set prompt = '', inputs = '[]', failures = '[]', notes = null, parameters = null, thumbhash = null,
      colours = null, image_deleted_at = case when finished_at > ${nowMs} then finished_at else ${nowMs} end
    where ${isAnyOf(tx, 'id', jobIds, 'uuid')} and image_deleted_at is null`.execute(tx);
  for (const table of ['imprints', 'duplicates'] as const)
    await tx
      .deleteFrom(table)
      .where(isAnyOf(tx, 'job_id', jobIds, 'uuid'))
      .execute();
}
