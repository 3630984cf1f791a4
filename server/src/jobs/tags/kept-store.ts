import { type RawBuilder, sql } from 'kysely';
import { dayMs, type RetentionSettings, retentionOf } from '../../accounts/retention/retention.ts';
import { listOwnRetentions } from '../../accounts/retention/retention-store.ts';
import { isAnyOf } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Job } from '../job.ts';

interface Keeps {
  accountId: string;
  /** The maximum number of images that an account can keep by stars or albums. */
  stars: number;
}

/** Selects the account's jobs with a star or in an album, oldest first, up to `stars`. Their images stay at any age. */
export function keptJobs({ accountId, stars }: Keeps): RawBuilder<unknown> {
  const most = sql`order by job_id limit ${sql.lit(stars)}`;
  // Limits each list, because an account may have any number of stars.
  const firstOf = (table: 'job_stars' | 'album_images') => sql`select distinct marked.job_id
    from ${sql.table(table)} as marked join jobs as kept on kept.id = marked.job_id
    where marked.account_id = ${accountId} and kept.status = 'done' and kept.image_deleted_at is null ${most}`;
  return sql`select job_id from (
      select job_id from (${firstOf('job_stars')}) as starred
      union select job_id from (${firstOf('album_images')}) as in_albums
    ) as marked ${most}`;
}

export function isNotKept(keeps: Keeps): RawBuilder<boolean> {
  return sql<boolean>`jobs.id not in (${keptJobs(keeps)})`;
}

/** Reads the times until which jobs' images are kept: null for no end, undefined if the image is gone. */
export async function readKeptUntil(
  queries: Queries,
  installation: RetentionSettings,
  jobs: readonly Job[],
): Promise<(job: Job) => number | null | undefined> {
  const accounts = [...new Set(jobs.flatMap(({ image, accountId }) => (image ? [accountId] : [])))];
  if (accounts.length === 0) return () => undefined;
  const own = await listOwnRetentions(queries, accounts);
  const { stars } = retentionOf(installation);
  const kept = new Set<string>();
  if (stars > 0)
    for (const accountId of accounts)
      for (const id of await findKept(queries, { accountId, stars }, jobs)) kept.add(id);
  return ({ id, accountId, finishedAt, image }) => {
    if (!image || finishedAt === null) return undefined;
    if (kept.has(id)) return null;
    return finishedAt + retentionOf(installation, own.get(accountId)).pictures * dayMs;
  };
}

async function findKept(queries: Queries, keeps: Keeps, jobs: readonly Job[]): Promise<string[]> {
  const ids = jobs.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`select job_id as id from (${keptJobs(keeps)}) as first
    where ${isAnyOf(queries, 'job_id', ids, 'uuid')}`.execute(queries);
  return rows.map(({ id }) => id);
}
