import { sql } from 'kysely';
import type { ModelId } from '../../catalog/models.ts';
import { isLeased, isWaiting } from '../../db/job-predicates.ts';
import { isAnyOf } from '../../db/rows.ts';
import type { Queries } from '../../db/schema.ts';
import type { Job, JobStatus } from '../../jobs/job.ts';
import { toJob } from '../../jobs/job-store.ts';
import { firstIdAt } from '../../std/ids.ts';

export interface JobPageFilter {
  accountId: string;
  status?: JobStatus;
  model?: ModelId;
  keyId?: string;
  /** Created at or after, and before; milliseconds. */
  fromMs?: number;
  toMs?: number;
  /** Ids from and to, both included. */
  ids?: { first: string; last: string };
  before?: string;
  limit: number;
}

/** The database truncates prompts: a page of long ones would be megabytes. */
const shownPromptLength = 200;

/** Newest first, with truncated prompts. */
export async function listJobPage(queries: Queries, filter: JobPageFilter): Promise<Job[]> {
  let query = queries
    .selectFrom('jobs')
    .select(columns)
    .select(shortPrompt)
    .where('account_id', '=', filter.accountId);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.model) query = query.where('model', '=', filter.model);
  if (filter.keyId) query = query.where('key_id', '=', filter.keyId);
  // Ids sort by time of creation, and the index is on ids.
  if (filter.fromMs !== undefined) query = query.where('id', '>=', firstIdAt(filter.fromMs));
  if (filter.toMs !== undefined) query = query.where('id', '<', firstIdAt(filter.toMs));
  if (filter.ids) query = query.where('id', '>=', filter.ids.first).where('id', '<=', filter.ids.last);
  if (filter.before) query = query.where('id', '<', filter.before);
  const rows = await query.orderBy('id', 'desc').limit(filter.limit).execute();
  return rows.map(toJob);
}

/** The route of the job's last attempt, and what its image cost upstream; null where nobody knows. */
export async function findMaker(
  queries: Queries,
  jobId: string,
): Promise<{ route: string | null; costMicros: bigint | null }> {
  const row = await queries
    .selectFrom('jobs')
    .select(['route', 'cost_micros'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return { route: row?.route ?? null, costMicros: row?.cost_micros ?? null };
}

export async function findJobRows(
  queries: Queries,
  accountId: string,
  jobIds: readonly string[],
): Promise<Job[]> {
  if (jobIds.length === 0) return [];
  const rows = await queries
    .selectFrom('jobs')
    .select(columns)
    .select(shortPrompt)
    .where(isAnyOf(queries, 'id', jobIds, 'uuid'))
    .where('account_id', '=', accountId)
    .execute();
  return rows.map(toJob);
}

const columns = [
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
const shortPrompt = sql<string>`substr(prompt, 1, ${sql.lit(shownPromptLength)})`.as('prompt');

export async function findJobByIdempotencyKey(
  queries: Queries,
  accountId: string,
  key: string,
): Promise<string | null> {
  const row = await queries
    .selectFrom('idempotency_keys')
    .select('job_id')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.job_id ?? null;
}

export async function findIdempotencyKeyOf(queries: Queries, jobId: string): Promise<string | null> {
  const row = await queries
    .selectFrom('jobs')
    .select('idempotency_key')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.idempotency_key ?? null;
}

/** Counts older queued jobs of a model, over all accounts. */
export async function countAhead(
  queries: Queries,
  { model, id }: { model: string; id: string },
): Promise<number> {
  const row = await queries
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isWaiting)
    .where('model', '=', model)
    .where('id', '<', id)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface Activity {
  /** Jobs that were created or ended, in order of time. */
  jobIds: string[];
  /** The last of those entries. */
  entryId: number;
}

/**
 * Every job writes an entry when it is created and when it ends. Entries of an account are written under its
 * lock, so their ids become visible in order and a reader misses none.
 */
export async function listActivity(
  queries: Queries,
  { accountId, afterEntry, limit }: { accountId: string; afterEntry: number; limit: number },
): Promise<Activity> {
  const rows = await queries
    .selectFrom('entries')
    .select(['id', 'job_id'])
    .where('account_id', '=', accountId)
    .where('id', '>', afterEntry)
    .orderBy('id')
    .limit(limit)
    .execute();
  return {
    jobIds: rows.flatMap((row) => (row.job_id === null ? [] : [row.job_id])),
    entryId: rows.at(-1)?.id ?? afterEntry,
  };
}

export async function findLastEntryId(queries: Queries, accountId: string): Promise<number> {
  const row = await queries
    .selectFrom('entries')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Jobs under a lease that began after a time. Reads all running jobs, which are few, through their own index.
 */
export async function listStarted(
  queries: Queries,
  accountId: string,
  afterMs: number,
): Promise<{ id: string; startedAt: number }[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(['id', 'account_id', 'started_at'])
    .where(isLeased)
    .where('started_at', '>', afterMs)
    .execute();
  return rows
    .filter((row) => row.account_id === accountId)
    .map((row) => ({ id: row.id, startedAt: row.started_at ?? afterMs }));
}
