import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../base/db/rows.ts';
import type { Queries, Tx } from '../base/db/schema.ts';
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

/** Records objects until their removal from the image store is certain. */
export async function insertRemovals(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const rows = rowsOf(
    tx,
    { key: 'text' },
    keys.map((key) => ({ key })),
  );
  await sql`insert into image_removals (key, requested_at) select key, ${nowMs} from ${rows} as incoming where true
    on conflict (key) do nothing`.execute(tx);
}

export async function listRemovals(
  queries: Queries,
  { minAgeMs, limit }: { minAgeMs: number; limit: number },
): Promise<string[]> {
  const rows = await queries
    .selectFrom('image_removals')
    .select('key')
    .where('requested_at', '<=', sql<number>`${nowMs} - ${sql.lit(minAgeMs)}`)
    .orderBy('requested_at')
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

export async function deleteRemovals(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('image_removals')
    .where(isAnyOf(tx, 'key', keys, 'text'))
    .execute();
}
