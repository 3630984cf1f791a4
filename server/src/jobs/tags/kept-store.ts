import { type RawBuilder, sql } from 'kysely';
import { dayMs, type RetentionSettings, retentionOf } from '../../accounts/retention/retention.ts';
import { listOwnRetentions } from '../../accounts/retention/retention-store.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Job } from '../job.ts';

interface Keeps {
  accountId: string;
  /** How many images with a star an account keeps. */
  stars: number;
}

/**
 * The jobs of an account whose images stay however old they are: of those with a star, the first. So a new star never takes the
 * place of an image that stays already.
 */
export function keptJobs({ accountId, stars }: Keeps): RawBuilder<unknown> {
  return sql`select job_stars.job_id from job_stars join jobs on jobs.id = job_stars.job_id
    where job_stars.account_id = ${accountId} and jobs.status = 'done' and jobs.image_deleted_at is null
    order by job_stars.job_id limit ${sql.lit(stars)}`;
}

/** For queries of `jobs`. */
export function isNotKept(keeps: Keeps): RawBuilder<boolean> {
  return sql<boolean>`jobs.id not in (${keptJobs(keeps)})`;
}

/** Until when the image of each of these jobs is kept; null: it stays; undefined: there is none. */
export async function readKeptUntil(
  queries: Queries,
  installation: RetentionSettings,
  jobs: readonly Job[],
  isStarred: (jobId: string) => boolean,
): Promise<(job: Job) => number | null | undefined> {
  const accounts = [...new Set(jobs.flatMap(({ image, accountId }) => (image ? [accountId] : [])))];
  if (accounts.length === 0) return () => undefined;
  const own = await listOwnRetentions(queries, accounts);
  const { stars } = retentionOf(installation);
  const lastOf = new Map<string, string>();
  for (const accountId of accounts)
    if (stars > 0 && jobs.some((job) => job.accountId === accountId && isStarred(job.id)))
      lastOf.set(accountId, await findLastKept(queries, { accountId, stars }));
  return ({ id, accountId, finishedAt, image }) => {
    if (!image || finishedAt === null) return undefined;
    if (isStarred(id) && id <= (lastOf.get(accountId) ?? '')) return null;
    return finishedAt + retentionOf(installation, own.get(accountId)).pictures * dayMs;
  };
}

async function findLastKept(queries: Queries, keeps: Keeps): Promise<string> {
  const { rows } = await sql<{ last: string }>`select job_id as last from (${keptJobs(keeps)}) as kept
    order by job_id desc limit 1`.execute(queries);
  return rows[0]?.last ?? '';
}
