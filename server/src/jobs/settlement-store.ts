import { sql } from 'kysely';
import { isUnderWay } from '../base/db/job-predicates.ts';
import { lookedUpBy, nowMs, orOutdated, rowsOf } from '../base/db/rows.ts';
import type { Tx } from '../base/db/schema.ts';
import type { JobErrorCode, ResultImage } from './job.ts';

/** The end of a job, valid only for this attempt under this worker's lease; `worker` is null without a lease. */
export interface Settlement {
  jobId: string;
  attempt: number;
  worker: string | null;
  outcome: Outcome;
}

export type Outcome =
  | {
      status: 'done';
      image: ResultImage;
      aspectRatio: string;
      notes: readonly string[];
      /** The upstream cost of the image; null if unknown. */
      costMicros: bigint | null;
    }
  | { status: 'failed'; error: string; errorCode: JobErrorCode };

export interface EndingJob {
  id: string;
  attempt: number;
  account_id: string;
  key_id: string;
  client_token_id: string | null;
  model: string;
  status: 'done' | 'failed';
  price_micros: bigint;
  created_at: number;
  callback_url: string | null;
  batch_id: string | null;
}

export interface EndedJob extends EndingJob {
  finished_at: number;
}

/** Reads, without a lock, the jobs that match their fence, as they will be after their end. */
export async function readEnding(tx: Tx, settlements: readonly Settlement[]): Promise<EndingJob[]> {
  const fences = settlements.map(({ jobId, attempt, worker, outcome: { status } }) => ({
    ...{ id: jobId, attempt, worker, status },
  }));
  const types = { id: 'uuid', attempt: 'integer', worker: 'text', status: 'text' } as const;
  const { rows } = await sql<EndingJob>`select ${ending}, ends.status
    from jobs join ${rowsOf(tx, types, fences)} as ends on ${matches(tx, settlements)}`.execute(tx);
  return rows;
}

export async function endIfUnchanged(tx: Tx, settlements: readonly Settlement[]): Promise<EndedJob[]> {
  const { rows } = await sql<EndedJob>`${update(tx, settlements)}
    returning ${ending}, jobs.status, jobs.finished_at`.execute(tx);
  return rows;
}

/** Ends jobs, and asserts that each still matches its fence. */
export async function endAsRead(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  await sql`with ended as (${update(tx, settlements)} returning 1)
    select ${orOutdated(sql`count(*) = ${settlements.length}`)} from ended`.execute(tx);
}

const ending = sql.join(
  [
    ...['id', 'attempt', 'account_id', 'key_id', 'client_token_id', 'model', 'price_micros'],
    ...['created_at', 'callback_url', 'batch_id'],
  ].map((column) => sql.ref(`jobs.${column}`)),
);

function matches(tx: Tx, settlements: readonly Settlement[]) {
  const jobIds = settlements.map(({ jobId }) => jobId);
  return sql`${lookedUpBy(tx, 'jobs.id', jobIds, 'uuid')} and jobs.id = ends.id and jobs.attempt = ends.attempt and ${isUnderWay}
      and jobs.worker is not distinct from ends.worker`;
}

function update(tx: Tx, settlements: readonly Settlement[]) {
  return sql`
    update jobs set status = ends.status, worker = null, finished_at = ${endOfTimes}, error = ends.error,
      error_code = ends.error_code, image_key = ends.image_key, image_width = ends.image_width,
      image_height = ends.image_height, image_bytes = ends.image_bytes, image_sha256 = ends.image_sha256,
      aspect_ratio = coalesce(ends.aspect_ratio, jobs.aspect_ratio), notes = ends.notes,
      cost_micros = ends.cost_micros
    from ${rowsOf(tx, columns, settlements.map(toRow))} as ends
    where ${matches(tx, settlements)}`;
}

// A job's end is never before its start, even if the clock went back.
const begun = sql`coalesce(started_at, created_at)`;
const endOfTimes = sql`case when ${begun} > ${nowMs} then ${begun} else ${nowMs} end`;

const columns = {
  id: 'uuid',
  attempt: 'integer',
  worker: 'text',
  status: 'text',
  error: 'text',
  error_code: 'text',
  image_key: 'text',
  image_width: 'integer',
  image_height: 'integer',
  image_bytes: 'integer',
  image_sha256: 'text',
  aspect_ratio: 'text',
  notes: 'text',
  cost_micros: 'integer',
} as const;

function toRow({ jobId, attempt, worker, outcome }: Settlement) {
  const done = outcome.status === 'done' ? outcome : null;
  const failed = outcome.status === 'failed' ? outcome : null;
  return {
    id: jobId,
    attempt,
    worker,
    status: outcome.status,
    error: failed?.error ?? null,
    error_code: failed?.errorCode ?? null,
    image_key: done?.image.key ?? null,
    image_width: done?.image.width ?? null,
    image_height: done?.image.height ?? null,
    image_bytes: done?.image.bytes ?? null,
    image_sha256: done?.image.sha256 ?? null,
    aspect_ratio: done?.aspectRatio ?? null,
    notes: done && done.notes.length > 0 ? JSON.stringify(done.notes) : null,
    cost_micros: done?.costMicros ?? null,
  };
}
