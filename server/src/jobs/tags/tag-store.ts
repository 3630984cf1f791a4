import { sql } from 'kysely';
import { isAnyOf, isPostgres, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

export interface Tags {
  /** Alphabetical. */
  tags: string[];
  starred: boolean;
}

export async function readTags(
  queries: Queries,
  jobIds: readonly string[],
): Promise<(jobId: string) => Tags> {
  if (jobIds.length === 0) return () => tagsOf();
  const { rows } = await sql<{ id: string; tag: string | null }>`
    select job_id as id, tag from job_tags where ${isAnyOf(queries, 'job_id', jobIds, 'uuid')}
    union all select job_id as id, null as tag from job_stars where ${isAnyOf(queries, 'job_id', jobIds, 'uuid')}`.execute(
    queries,
  );
  const byJob = Map.groupBy(rows, ({ id }) => id);
  return (jobId) => tagsOf(byJob.get(jobId));
}

function tagsOf(rows: readonly { tag: string | null }[] = []): Tags {
  const tags = rows.flatMap(({ tag }) => (tag === null ? [] : [tag])).sort();
  return { tags, starred: rows.length > tags.length };
}

/** Counts the jobs of each tag, in alphabetical order of the tags. */
export async function countTags(
  queries: Queries,
  accountId: string,
  limit: number,
): Promise<{ tag: string; jobs: number }[]> {
  const rows = await queries
    .selectFrom('job_tags')
    .select(({ fn }) => ['tag', fn.countAll<number>().as('jobs')])
    .where('account_id', '=', accountId)
    .groupBy('tag')
    .orderBy('tag')
    .limit(limit)
    .execute();
  return rows.map(({ tag, jobs }) => ({ tag, jobs }));
}

export async function findOwn(
  queries: Queries,
  accountId: string,
  jobIds: readonly string[],
): Promise<string[]> {
  return idsOf(await ownJobs(queries, accountId, jobIds).execute());
}

/** Locks the account's jobs among these, so that changes of a job's tags are made one after the other. */
export async function lockOwn(tx: Tx, accountId: string, jobIds: readonly string[]): Promise<string[]> {
  const own = ownJobs(tx, accountId, jobIds).orderBy('id');
  return idsOf(await own.$if(isPostgres(tx), (query) => query.forUpdate()).execute());
}

function ownJobs(queries: Queries, accountId: string, jobIds: readonly string[]) {
  return queries
    .selectFrom('jobs')
    .select('id')
    .where(isAnyOf(queries, 'id', jobIds, 'uuid'))
    .where('account_id', '=', accountId);
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

export async function insertTags(
  tx: Tx,
  accountId: string,
  jobIds: readonly string[],
  tags: readonly string[],
): Promise<void> {
  if (tags.length === 0) return;
  const rows = rowsOf(
    tx,
    { job_id: 'uuid', tag: 'text' },
    jobIds.flatMap((job_id) => tags.map((tag) => ({ job_id, tag }))),
  );
  await sql`insert into job_tags (account_id, tag, job_id)
    select ${accountId}, tag, job_id from ${rows} as rows where true on conflict do nothing`.execute(tx);
}

export async function deleteTags(
  tx: Tx,
  accountId: string,
  jobIds: readonly string[],
  tags: readonly string[],
): Promise<void> {
  if (tags.length === 0) return;
  await tx
    .deleteFrom('job_tags')
    .where('account_id', '=', accountId)
    .where(isAnyOf(tx, 'tag', tags, 'text'))
    .where(isAnyOf(tx, 'job_id', jobIds, 'uuid'))
    .execute();
}

export async function insertStars(tx: Tx, accountId: string, jobIds: readonly string[]): Promise<void> {
  const rows = rowsOf(
    tx,
    { job_id: 'uuid' },
    jobIds.map((job_id) => ({ job_id })),
  );
  await sql`insert into job_stars (account_id, job_id)
    select ${accountId}, job_id from ${rows} as rows where true on conflict do nothing`.execute(tx);
}

export async function deleteStars(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('job_stars')
    .where(isAnyOf(tx, 'job_id', jobIds, 'uuid'))
    .execute();
}

/** Deletes the rows that serve only to find these jobs. */
export async function forgetFinds(tx: Tx, jobIds: readonly string[]): Promise<void> {
  for (const table of [
    'imprints',
    'duplicates',
    'job_metadata',
    'job_tags',
    'job_stars',
    'kept_images',
    'album_images',
  ] as const)
    await tx
      .deleteFrom(table)
      .where(isAnyOf(tx, 'job_id', jobIds, 'uuid'))
      .execute();
}
