import { type Selectable, sql } from 'kysely';
import { hasBegun, isDone, isLeased, isOfAccount, isQueued, isWaiting } from '../base/db/job-predicates.ts';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../base/db/rows.ts';
import type { JobsTable, Queries, Tx } from '../base/db/schema.ts';
import { mediaTypeOf } from '../images/media-types.ts';
import type { ModelId } from '../upstream/catalog/models.ts';
import {
  type AttemptFailure,
  type Job,
  type JobErrorCode,
  type JobOptions,
  type Metadata,
  parseInputs,
  parseOutput,
  type StoredInput,
  storedInputs,
  writeInputs,
} from './job.ts';

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'clientTokenId'
  | 'model'
  | 'mode'
  | 'prompt'
  | 'requestedRatio'
  | 'aspectRatio'
  | 'resolution'
  | 'modelVersion'
  | 'parameters'
  | keyof JobOptions
  | 'priceMicros'
  | 'inputs'
  | 'mask'
  | 'requestId'
>;

/** The position of a job in its batch; `index` counts from 0. */
export interface BatchPosition {
  id: string;
  index: number;
}

export const createdColumns = {
  id: 'uuid',
  account_id: 'uuid',
  key_id: 'uuid',
  client_token_id: 'uuid',
  model: 'text',
  mode: 'text',
  prompt: 'text',
  requested_ratio: 'text',
  aspect_ratio: 'text',
  resolution: 'text',
  model_version: 'integer',
  parameters: 'text',
  metadata: 'text',
  deadline_at: 'integer',
  origin_job_id: 'uuid',
  origin_kind: 'text',
  output: 'text',
  price_micros: 'integer',
  callback_url: 'text',
  idempotency_key: 'text',
  inputs: 'text',
  request_id: 'text',
  batch_id: 'uuid',
  batch_index: 'integer',
} as const;
const createdNames = sql.raw(Object.keys(createdColumns).join(', '));

export async function insertJobs(
  tx: Tx,
  jobs: readonly (NewJob & { idempotencyKey: string | null; batch: BatchPosition | null })[],
  /** The creation time if other values depend on it; null for the time of the insert. */
  createdAt: number | null,
): Promise<void> {
  if (jobs.length === 0) return;
  const incoming = rowsOf(
    tx,
    createdColumns,
    jobs.map((job) => ({
      id: job.id,
      account_id: job.accountId,
      key_id: job.keyId,
      client_token_id: job.clientTokenId,
      model: job.model,
      mode: job.mode,
      prompt: job.prompt,
      requested_ratio: job.requestedRatio,
      aspect_ratio: job.aspectRatio,
      resolution: job.resolution,
      model_version: job.modelVersion,
      parameters: isEmpty(job.parameters) ? null : JSON.stringify(job.parameters),
      metadata: job.metadata && JSON.stringify(job.metadata),
      deadline_at: job.deadlineAt,
      origin_job_id: job.origin?.jobId ?? null,
      origin_kind: job.origin?.kind ?? null,
      output: job.output && JSON.stringify(job.output),
      price_micros: job.priceMicros,
      callback_url: job.callbackUrl,
      idempotency_key: job.idempotencyKey,
      inputs: writeInputs(job),
      request_id: job.requestId,
      batch_id: job.batch?.id ?? null,
      batch_index: job.batch?.index ?? null,
    })),
  );
  const inserted = sql`insert into jobs (${createdNames}, status, attempt, claimable_at, failures, created_at)
    select ${createdNames}, 'queued', 0, ${nowMs}, '[]', ${createdAt ?? nowMs} from ${incoming} as incoming`.execute(
    tx,
  );
  await Promise.all([inserted, insertMetadata(tx, jobs)]);
}

async function insertMetadata(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  const pairs = jobs.flatMap(({ id, accountId, metadata }) =>
    metadata === null
      ? []
      : Object.entries(metadata).map(([key, value]) => ({ account_id: accountId, key, value, job_id: id })),
  );
  if (pairs.length === 0) return;
  const incoming = rowsOf(tx, { account_id: 'uuid', key: 'text', value: 'text', job_id: 'uuid' }, pairs);
  await sql`insert into job_metadata (account_id, key, value, job_id)
    select account_id, key, value, job_id from ${incoming} as incoming`.execute(tx);
}

export async function findJob(queries: Queries, jobId: string): Promise<Job | undefined> {
  const row = await queries.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  return row && toJob(row);
}

export async function lockJob(
  tx: Tx,
  jobId: string,
): Promise<{ job: Job; worker: string | null } | undefined> {
  const row = await tx
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row && { job: toJob(row), worker: row.worker };
}

export async function findJobs(
  queries: Queries,
  jobIds: readonly string[],
  read: (row: Selectable<JobsTable>) => Job = toJob,
): Promise<Job[]> {
  // Uses raw SQL, because most queries are polls, and building a query with Kysely takes as long as running it.
  const { rows } = await sql<
    Selectable<JobsTable>
  >`select * from jobs where ${isAnyOf(queries, 'id', jobIds, 'uuid')}`.execute(queries);
  return rows.map((row) => read(row));
}

export async function findJobImage(
  queries: Queries,
  jobId: string,
  input: number | null,
): Promise<StoredInput | 'gone' | 'never'> {
  const job = await findJob(queries, jobId);
  if (job && job.imageDeletedAt !== null) return job.deletedImage || input !== null ? 'gone' : 'never';
  // The mode shows whether a job had inputs. They can be deleted before the job is.
  if (job && input !== null)
    return storedInputs(job)[input] ?? (job.mode === 'url' && job.inputs.length === 0 ? 'gone' : 'never');
  if (job) return job.image ?? 'never';
  return (await findOwnerOfRemoved(queries, jobId)) === undefined ? 'never' : 'gone';
}

export async function findOwnerOfJob(queries: Queries, jobId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('jobs')
    .select('account_id')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.account_id;
}

/** Finds the account of a job from its ledger entries, which remain when the job is removed. */
export async function findOwnerOfRemoved(queries: Queries, jobId: string): Promise<string | undefined> {
  const entry = await queries
    .selectFrom('entries')
    .select('account_id')
    .where('job_id', '=', jobId)
    // This is a literal, because PostgreSQL would not use the index of reserves for a parameter.
    .where('kind', '=', sql.lit('reserve'))
    .executeTakeFirst();
  return entry?.account_id;
}

/** Lists jobs with an image that was not deleted, oldest first, in pages. */
export async function listDoneJobs(
  queries: Queries,
  { after, limit }: { after: string; limit: number },
): Promise<Job[]> {
  const rows = await queries
    .selectFrom('jobs')
    .selectAll()
    .where(isDone)
    .where('image_deleted_at', 'is', null)
    .$if(after !== '', (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toJob);
}

export interface QueueStatus {
  queued: number;
  /** The number of jobs with status `processing`: under a lease or waiting for a retry. */
  processing: number;
  /** The number of jobs in `processing` that are waiting for a retry. */
  resting: number;
  oldestQueuedAt: number | null;
  oldestQueuedMs: number | null;
}

export async function readQueue(
  queries: Queries,
  { accountId, model }: { accountId?: string; model?: ModelId } = {},
): Promise<QueueStatus> {
  const only = sql`${accountId === undefined ? sql`true` : isOfAccount(accountId)}
    and ${model === undefined ? sql`true` : sql`model = ${model}`}`;
  const { rows } = await sql<{
    queued: number;
    leased: number;
    resting: number;
    oldest: number | null;
    now: number;
  }>`select
    (select count(*) from jobs where ${isWaiting} and ${isQueued} and ${only}) as queued,
    (select count(*) from jobs where ${isWaiting} and ${hasBegun} and ${only}) as resting,
    (select count(*) from jobs where ${isLeased} and ${only}) as leased,
    (select min(created_at) from jobs where ${isWaiting} and ${isQueued} and ${only}) as oldest,
    ${nowMs} as now`.execute(queries);
  const [{ queued, leased: held, resting, oldest, now } = nothing] = rows;
  return {
    queued,
    processing: held + resting,
    resting,
    oldestQueuedAt: oldest,
    oldestQueuedMs: oldest === null ? null : now - oldest,
  };
}

const nothing = { queued: 0, leased: 0, resting: 0, oldest: null, now: 0 };

export async function findKnownJobs(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('jobs')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** Parses the JSON that `insertJobs` wrote. */
export function parseParameters(json: string | null): Job['parameters'] {
  return json === null ? {} : (JSON.parse(json) as Job['parameters']);
}

function isEmpty(parameters: Job['parameters']): boolean {
  for (const _name in parameters) return false;
  return true;
}

/** Parses the JSON that `retryIfLeased` wrote. */
export function parseFailures(json: string): AttemptFailure[] {
  return json === '[]' ? [] : (JSON.parse(json) as AttemptFailure[]);
}

// The casts restate guarantees of CHECK constraints and our writes. Omits the image's cost, which is for operators.
export function toJob(row: Omit<Selectable<JobsTable>, 'cost_micros'>): Job {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    clientTokenId: row.client_token_id,
    model: row.model,
    mode: row.mode,
    prompt: row.prompt,
    requestedRatio: row.requested_ratio,
    aspectRatio: row.aspect_ratio,
    resolution: row.resolution,
    modelVersion: row.model_version,
    parameters: parseParameters(row.parameters),
    deadlineAt: row.deadline_at,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
    origin:
      row.origin_job_id === null || row.origin_kind === null
        ? null
        : { jobId: row.origin_job_id, kind: row.origin_kind },
    output: parseOutput(row.output),
    priceMicros: row.price_micros,
    callbackUrl: row.callback_url,
    ...parseInputs(row.inputs),
    status: row.status,
    attempt: row.attempt,
    failures: parseFailures(row.failures),
    route: row.route,
    remoteId: row.remote_id,
    retryAt: row.status === 'processing' && row.worker === null ? row.claimable_at : null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error,
    errorCode: row.error_code as JobErrorCode | null,
    image: row.image_deleted_at === null ? toImage(row) : null,
    thumbhash: row.thumbhash,
    imageDeletedAt: row.image_deleted_at,
    deletedImage: row.image_deleted_at === null ? null : toImage(row),
    notes: row.notes === null ? [] : (JSON.parse(row.notes) as string[]),
    requestId: row.request_id,
  };
}

function toImage(row: Pick<JobsTable, `image_${'key' | 'width' | 'height' | 'bytes' | 'sha256'}`>) {
  if (row.image_key === null) return null;
  return {
    key: row.image_key,
    mediaType: mediaTypeOf(row.image_key),
    width: row.image_width ?? 0,
    height: row.image_height ?? 0,
    bytes: row.image_bytes ?? 0,
    sha256: row.image_sha256 ?? '',
  };
}
