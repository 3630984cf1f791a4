import { type RawBuilder, sql } from 'kysely';
import type { ModelId } from '../catalog/models.ts';
import { isAnyOf, isPostgres } from '../db/rows.ts';
import type { JobsTable, Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';
import type { Job, JobStatus } from './job.ts';
import { toJob } from './job-store.ts';

/** Which jobs of an account are listed: those that meet all of these. */
export interface JobFilter {
  accountId: string;
  status?: JobStatus;
  model?: ModelId;
  keyId?: string;
  /** In use, or asked for while it is not known. */
  aspectRatio?: string;
  /** Created at or after, and before; milliseconds. */
  fromMs?: number;
  toMs?: number;
  /** Ids from and to, both included. */
  ids?: { first: string; last: string };
  /** Pairs, all of which the jobs have. */
  metadata?: readonly (readonly [key: string, value: string])[];
}

export interface PageOf {
  /** Only jobs before the one with this id. */
  before?: string | undefined;
  limit: number;
  /** Truncates prompts: a page of long ones would be megabytes. */
  shortPrompts?: boolean;
}

const shownPromptLength = 200;

/** Newest first: ids sort by time. */
export async function listJobs(
  queries: Queries,
  filter: JobFilter,
  { before, limit, shortPrompts = false }: PageOf,
): Promise<Job[]> {
  const [first, ...others] = listsOf(filter);
  // The shortest list there is comes first, and is read in its order; without any it is that of the account.
  const source = first
    ? sql`(${first}) as listed ${sql.raw(isPostgres(queries) ? 'join' : 'cross join')} jobs on jobs.id = listed.job_id`
    : sql`jobs`;
  const id = sql.ref(first ? 'listed.job_id' : 'jobs.id');
  const conditions = [
    sql`jobs.account_id = ${filter.accountId}`,
    ...others.map((list) => sql`jobs.id in (${list})`),
    ...conditionsOf(filter, id),
    ...(before === undefined ? [] : [sql`${id} < ${before}`]),
  ];
  const { rows } = await sql<JobsTable>`select ${columnsOf(shortPrompts)} from ${source}
    where ${sql.join(conditions, sql` and `)} order by ${id} desc limit ${limit}`.execute(queries);
  return rows.map(toJob);
}

/** Ids of the jobs that something else says something about, each in an order of its index. */
function listsOf({ accountId, metadata = [] }: JobFilter): RawBuilder<unknown>[] {
  return metadata.map(
    ([key, value]) => sql`select job_id from job_metadata
      where account_id = ${accountId} and key = ${key} and value = ${value}`,
  );
}

function conditionsOf(filter: JobFilter, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { status, model, keyId, aspectRatio, fromMs, toMs, ids } = filter;
  const conditions: RawBuilder<unknown>[] = [];
  if (status) conditions.push(sql`jobs.status = ${status}`);
  if (model) conditions.push(sql`jobs.model = ${model}`);
  if (keyId) conditions.push(sql`jobs.key_id = ${keyId}`);
  if (aspectRatio) conditions.push(sql`coalesce(jobs.aspect_ratio, jobs.requested_ratio) = ${aspectRatio}`);
  // Ids sort by time of creation, and the index is on ids.
  if (fromMs !== undefined) conditions.push(sql`${id} >= ${firstIdAt(fromMs)}`);
  if (toMs !== undefined) conditions.push(sql`${id} < ${firstIdAt(toMs)}`);
  if (ids) conditions.push(sql`${id} >= ${ids.first} and ${id} <= ${ids.last}`);
  return conditions;
}

function columnsOf(shortPrompts: boolean): RawBuilder<unknown> {
  if (!shortPrompts) return sql`jobs.*`;
  const prompt = sql`substr(jobs.prompt, 1, ${sql.lit(shownPromptLength)}) as prompt`;
  return sql`${sql.join(shownColumns.map((name) => sql.ref(`jobs.${name}`)))}, ${prompt}`;
}

/** All of a job but its prompt, and what it cost upstream. */
const shownColumns = [
  'id',
  'account_id',
  'key_id',
  'client_token_id',
  'model',
  'mode',
  'requested_ratio',
  'aspect_ratio',
  'resolution',
  'model_version',
  'parameters',
  'metadata',
  'price_micros',
  'callback_url',
  'idempotency_key',
  'inputs',
  'status',
  'attempt',
  'worker',
  'claimable_at',
  'failures',
  'route',
  'remote_id',
  'created_at',
  'started_at',
  'finished_at',
  'error',
  'error_code',
  'image_key',
  'image_width',
  'image_height',
  'image_bytes',
  'image_sha256',
  'request_id',
  'notes',
  'thumbhash',
  'colours',
  'image_deleted_at',
] as const;

/** Those of these jobs that are the account's, with truncated prompts. */
export async function findJobRows(
  queries: Queries,
  accountId: string,
  jobIds: readonly string[],
): Promise<Job[]> {
  if (jobIds.length === 0) return [];
  const { rows } = await sql<JobsTable>`select ${columnsOf(true)} from jobs
    where ${isAnyOf(queries, 'jobs.id', jobIds, 'uuid')} and account_id = ${accountId}`.execute(queries);
  return rows.map(toJob);
}
