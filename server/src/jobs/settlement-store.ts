import { sql } from 'kysely';
import { isUnderWay } from '../db/job-predicates.ts';
import { lookedUpBy, nowMs, rowsOf } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import type { JobErrorCode, ResultImage } from './job.ts';

/**
 * The end of a job. It only applies if the job is still in this attempt under this worker's lease (null: no
 * lease).
 */
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
      /** What the picture cost upstream, where that is known. */
      costMicros: bigint | null;
    }
  | { status: 'failed'; error: string; errorCode: JobErrorCode };

export interface EndedJob {
  id: string;
  account_id: string;
  key_id: string;
  client_token_id: string | null;
  model: string;
  status: 'done' | 'failed';
  price_micros: bigint;
  created_at: number;
  finished_at: number;
  callback_url: string | null;
  batch_id: string | null;
}

/** Makes jobs terminal that still match their fence, and returns them. */
export async function endIfUnchanged(tx: Tx, settlements: readonly Settlement[]): Promise<EndedJob[]> {
  const ends = rowsOf(tx, columns, settlements.map(toRow));
  const jobIds = settlements.map(({ jobId }) => jobId);
  const { rows } = await sql<EndedJob>`
    update jobs set status = ends.status, worker = null, finished_at = ${endOfTimes}, error = ends.error,
      error_code = ends.error_code, image_key = ends.image_key, image_width = ends.image_width,
      image_height = ends.image_height, image_bytes = ends.image_bytes, image_sha256 = ends.image_sha256,
      aspect_ratio = coalesce(ends.aspect_ratio, jobs.aspect_ratio), notes = ends.notes,
      cost_micros = ends.cost_micros
    from ${ends} as ends
    where ${lookedUpBy(tx, 'jobs.id', jobIds, 'uuid')} and jobs.id = ends.id and jobs.attempt = ends.attempt and ${isUnderWay}
      and jobs.worker is not distinct from ends.worker
    returning jobs.id, jobs.account_id, jobs.key_id, jobs.client_token_id, jobs.model, jobs.status, jobs.price_micros, jobs.created_at, jobs.finished_at,
      jobs.callback_url, jobs.batch_id`.execute(tx);
  return rows;
}

// A job must not end before it began, even if the clock went back.
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
