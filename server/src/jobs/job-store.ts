import { type Selectable, sql } from 'kysely';
import type { AspectRatio, ModelId, RequestedRatio, Resolution } from '../catalog/models.ts';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../db/rows.ts';
import type { JobsTable, Queries, Tx } from '../db/schema.ts';
import type { AttemptFailure, Job, JobErrorCode, JobStatus, Lease, StoredInput } from './job.ts';

/**
 * Jobs that may be claimed, or will once they have rested, in the very words of the partial index `jobs_claimable`: with
 * others, or with parameters in their place, neither database uses it.
 */
export const waits = sql<boolean>`worker is null and status in ('queued', 'processing')`;

/** Jobs under a lease. The time, which is always true, leads the databases to the index of leases. */
export const leased = sql<boolean>`worker is not null and claimable_at > 0`;

/** A job that is about to be admitted. */
export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'model'
  | 'mode'
  | 'prompt'
  | 'requestedRatio'
  | 'aspectRatio'
  | 'resolution'
  | 'priceMicros'
  | 'callbackUrl'
  | 'inputs'
  | 'requestId'
>;

export async function insertJobs(
  tx: Tx,
  jobs: readonly (NewJob & { idempotencyKey: string | null })[],
): Promise<void> {
  if (jobs.length === 0) return;
  const incoming = rowsOf(
    tx,
    {
      id: 'uuid',
      account_id: 'uuid',
      key_id: 'uuid',
      model: 'text',
      mode: 'text',
      prompt: 'text',
      requested_ratio: 'text',
      aspect_ratio: 'text',
      resolution: 'text',
      price: 'integer',
      callback_url: 'text',
      idempotency_key: 'text',
      inputs: 'text',
      request_id: 'text',
    },
    jobs.map((job) => ({
      id: job.id,
      account_id: job.accountId,
      key_id: job.keyId,
      model: job.model,
      mode: job.mode,
      prompt: job.prompt,
      requested_ratio: job.requestedRatio,
      aspect_ratio: job.aspectRatio,
      resolution: job.resolution,
      price: job.priceMicros,
      callback_url: job.callbackUrl,
      idempotency_key: job.idempotencyKey,
      inputs: JSON.stringify(job.inputs),
      request_id: job.requestId,
    })),
  );
  await sql`insert into jobs (
      id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution, price_micros, callback_url,
      idempotency_key, inputs, request_id, status, attempt, claimable_at, failures, created_at)
    select id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution, price, callback_url,
      idempotency_key, inputs, request_id, 'queued', 0, ${nowMs}, '[]', ${nowMs} from ${incoming} as incoming`.execute(
    tx,
  );
}

export async function findJob(queries: Queries, jobId: string): Promise<Job | undefined> {
  const row = await queries.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  return row && toJob(row);
}

/** A job that nobody else changes until the transaction ends, and who works on it. */
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

/** Those of these ids that exist. */
export async function findJobs(queries: Queries, jobIds: readonly string[]): Promise<Job[]> {
  // As text: polls are the bulk of all queries, and building one costs as much as running it.
  const { rows } =
    await sql<JobsTable>`select * from jobs where ${isAnyOf(queries, 'id', jobIds, 'uuid')}`.execute(queries);
  return rows.map((row) => toJob(row));
}

/** Where the result or an input of a job is stored; what was removed with its job has left its entries behind. */
export async function findImage(
  queries: Queries,
  jobId: string,
  input: number | null,
): Promise<Omit<StoredInput, 'width' | 'height'> | 'gone' | 'never'> {
  const job = await findJob(queries, jobId);
  if (job && input !== null) return job.inputs[input] ?? 'never';
  if (job) return job.image ? { ...job.image, mediaType: 'image/png' } : 'never';
  const entry = await queries
    .selectFrom('entries')
    .select('id')
    .where('job_id', '=', jobId)
    .where('kind', '=', 'reserve')
    .executeTakeFirst();
  return entry ? 'gone' : 'never';
}

export interface JobFilter {
  accountId: string;
  status?: JobStatus;
  model?: ModelId;
  /** Only jobs created before the one with this id. */
  before?: string;
  limit: number;
}

/** Newest first: ids sort by time. */
export async function listJobs(queries: Queries, filter: JobFilter): Promise<Job[]> {
  let query = queries.selectFrom('jobs').selectAll().where('account_id', '=', filter.accountId);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.model) query = query.where('model', '=', filter.model);
  if (filter.before) query = query.where('id', '<', filter.before);
  const rows = await query.orderBy('id', 'desc').limit(filter.limit).execute();
  return rows.map(toJob);
}

/** Jobs with a result, oldest first, in pages. */
export async function listDoneJobs(
  queries: Queries,
  { after, limit }: { after: string; limit: number },
): Promise<Job[]> {
  const rows = await queries
    .selectFrom('jobs')
    .selectAll()
    .where('status', '=', 'done')
    .$if(after !== '', (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toJob);
}

/** Keeps the leases that are still ours and returns them; the others are lost. */
export async function extendLeases(tx: Tx, leases: readonly Lease[], leaseMs: number): Promise<string[]> {
  const held = leaseRows(tx, leases);
  const { rows } = await sql<{ id: string }>`update jobs set claimable_at = ${nowMs} + ${sql.lit(leaseMs)}
    from ${held} as held where jobs.id = held.id and jobs.attempt = held.attempt and jobs.worker = held.worker
    returning jobs.id`.execute(tx);
  return rows.map((row) => row.id);
}

export interface Rest {
  lease: Lease;
  failures: AttemptFailure[];
  /** When the next attempt may begin: milliseconds from now. */
  delayMs: number;
  remoteId: string | null;
}

/** Ends attempts without ending their jobs: they may be claimed again later. Returns the ids whose lease was ours. */
export async function restIfLeased(tx: Tx, rests: readonly Rest[]): Promise<string[]> {
  if (rests.length === 0) return [];
  const incoming = rowsOf(
    tx,
    { id: 'uuid', attempt: 'integer', worker: 'text', failures: 'text', delay: 'integer', remote_id: 'text' },
    rests.map(({ lease, failures, delayMs, remoteId }) => ({
      id: lease.jobId,
      attempt: lease.attempt,
      worker: lease.worker,
      failures: JSON.stringify(failures),
      delay: delayMs,
      remote_id: remoteId,
    })),
  );
  const { rows } = await sql<{ id: string }>`update jobs set worker = null, failures = rest.failures,
      remote_id = rest.remote_id, claimable_at = ${nowMs} + rest.delay
    from ${incoming} as rest where jobs.id = rest.id and jobs.attempt = rest.attempt and jobs.worker = rest.worker
    returning jobs.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Remembers what the provider calls the accepted request. False when the lease is lost. */
export async function noteRemoteIdIfLeased(tx: Tx, lease: Lease, remoteId: string): Promise<boolean> {
  const result = await tx
    .updateTable('jobs')
    .set({ remote_id: remoteId })
    .where('id', '=', lease.jobId)
    .where('attempt', '=', lease.attempt)
    .where('worker', '=', lease.worker)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Everybody who holds a lease. */
export async function findWorkers(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select('worker')
    .distinct()
    .where('worker', 'is not', null)
    .execute();
  return rows.flatMap(({ worker }) => worker ?? []);
}

/** Lets the leases of these workers run out now; says how many there were. */
export async function endLeasesOf(tx: Tx, workers: readonly string[]): Promise<number> {
  const result = await tx
    .updateTable('jobs')
    .set({ claimable_at: nowMs })
    .where(isAnyOf(tx, 'worker', workers, 'text'))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Jobs whose worker stopped extending its lease. `now` is the time that was judged: the clock may jump in between. Locked,
 * and without those that are: a lease that is extended at this moment was late and is not over.
 */
export async function findExpiredLeases(
  tx: Tx,
  now: number,
  limit: number,
): Promise<{ job: Job; worker: string }[]> {
  const rows = await tx
    .selectFrom('jobs')
    .selectAll()
    .where('worker', 'is not', null)
    .where('claimable_at', '<=', now)
    .orderBy('claimable_at')
    .limit(limit)
    .$if(isPostgres(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  return rows.map((row) => ({ job: toJob(row), worker: row.worker ?? '' }));
}

/** Jobs that nobody has begun for `maxAgeMs`. */
export async function findStaleQueued(tx: Tx, maxAgeMs: number, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('jobs')
    .select('id')
    .where(waits)
    .where('status', '=', 'queued')
    .where('created_at', '<=', sql<number>`${nowMs} - ${sql.lit(maxAgeMs)}`)
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export interface QueueStatus {
  queued: number;
  /** In the state `processing`: those under a lease and those that rest. */
  processing: number;
  /** Of them, those that wait for their next attempt. */
  resting: number;
  oldestQueuedAt: number | null;
  /** For how long it has waited. */
  oldestQueuedMs: number | null;
}

/** How much waits and runs, of one account or model or of all, and since when the oldest waits. */
export async function readQueue(
  queries: Queries,
  { accountId, model }: { accountId?: string; model?: ModelId } = {},
): Promise<QueueStatus> {
  const only = sql`${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}
    and ${model === undefined ? sql`true` : sql`model = ${model}`}`;
  const { rows } = await sql<{
    queued: number;
    leased: number;
    resting: number;
    oldest: number | null;
    now: number;
  }>`select
    (select count(*) from jobs where ${waits} and status = 'queued' and ${only}) as queued,
    (select count(*) from jobs where ${waits} and status = 'processing' and ${only}) as resting,
    (select count(*) from jobs where ${leased} and ${only}) as leased,
    (select min(created_at) from jobs where ${waits} and status = 'queued' and ${only}) as oldest,
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

/** Ids of jobs, of those given, that exist; for telling orphaned images. */
export async function findKnownJobs(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('jobs')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return new Set(rows.map((row) => row.id));
}

function leaseRows(tx: Tx, leases: readonly Lease[]) {
  return rowsOf(
    tx,
    { id: 'uuid', attempt: 'integer', worker: 'text' },
    leases.map(({ jobId, attempt, worker }) => ({ id: jobId, attempt, worker })),
  );
}

/** The JSON that `restIfLeased` wrote. */
export function parseFailures(json: string): AttemptFailure[] {
  return json === '[]' ? [] : (JSON.parse(json) as AttemptFailure[]);
}

// The casts restate what CHECK constraints and our own writes guarantee of the text columns.
export function toJob(row: Selectable<JobsTable>): Job {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model as ModelId,
    mode: row.mode,
    prompt: row.prompt,
    requestedRatio: row.requested_ratio as RequestedRatio,
    aspectRatio: row.aspect_ratio as AspectRatio | null,
    resolution: row.resolution as Resolution,
    priceMicros: row.price_micros,
    callbackUrl: row.callback_url,
    inputs: row.inputs === '[]' ? [] : (JSON.parse(row.inputs) as StoredInput[]),
    status: row.status,
    attempt: row.attempt,
    failures: parseFailures(row.failures),
    route: row.route,
    remoteId: row.remote_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error,
    errorCode: row.error_code as JobErrorCode | null,
    image:
      row.image_key === null
        ? null
        : {
            key: row.image_key,
            width: row.image_width ?? 0,
            height: row.image_height ?? 0,
            bytes: row.image_bytes ?? 0,
            sha256: row.image_sha256 ?? '',
          },
    notes: row.notes === null ? [] : (JSON.parse(row.notes) as string[]),
    requestId: row.request_id,
  };
}
