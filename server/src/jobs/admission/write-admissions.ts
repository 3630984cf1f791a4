import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { writeInTurns, writeParts } from '../../base/db/write-parts.ts';
import { lockIfAvailable, post } from '../../money/ledger/ledger-store.ts';
import { type JobMeter, type Limit, subjectIdsOf } from '../../money/limits/limit.ts';
import { saveLimits } from '../../money/limits/limit-store.ts';
import { takeIfAllowed } from '../../money/limits/take-limits-store.ts';
import type { Near } from '../../notify/alerts/tell-near-limits.ts';
import { insertBatches, type NewBatch } from '../batches/batch-store.ts';
import { insertJobs, type NewJob } from '../job-store.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Idempotency,
  keyOfJob,
  type Unserved,
} from './decide-admissions.ts';
import { useKeys } from './idempotency-store.ts';
import { insertUnanswered, type NewUnanswered, type Waiting } from './unanswered/unanswered-store.ts';

export interface Admittee {
  asker: Pick<NewJob, AskerField>;
  /** All or none of them are admitted. */
  jobs: readonly Omit<NewJob, AskerField>[];
  inputBytes: number;
  /** Set if at least one of the jobs has no route that can make it. */
  unserved: Unserved | null;
  idempotency: Idempotency | null;
  /** The row that tracks the request until it is answered. */
  unanswered?: Waiting | undefined;
  /** Absent if the jobs are not a batch but the variants of one request. */
  batch?: Pick<NewBatch, 'id' | 'name' | 'callbackUrl' | 'source'>;
}

type AskerField = 'accountId' | 'keyId' | 'clientTokenId' | 'requestId';

export interface Decided {
  isLocked: boolean;
  admissions: Admission[];
  admitted: Admittee[];
  /** The limits of all callers. Only the first `stored` of them have rows. */
  limits: readonly Limit<JobMeter>[];
  stored: number;
  changed: readonly Limit<JobMeter>[];
  near: readonly Near[];
  /** The database's time; null if no decision depends on it. */
  now: number | null;
}

/** The decisions, with the jobs in parts small enough for one statement each. */
export interface Ready extends Decided {
  parts: readonly JobPart[];
}

type JobPart = ReturnType<typeof jobsOf>;

/** The maximum weight of a part: SQLite limits parameters, and a part should take the writer only milliseconds. */
const mostWeight = 256;
/** The weight of a job. In a batch, the job's metadata and the length of its prompt increase it. */
const leastWeight = 1;
const charactersOfWeight = 256;

export function areWrittenInParts(admittees: readonly Admittee[]): boolean {
  let weight = 0;
  for (const { jobs, batch } of admittees)
    for (const job of jobs) weight += weightOf(job, batch !== undefined);
  return weight > mostWeight;
}

/** Writes a large admission's jobs in parts, between which other work runs. Leaves small ones to `writeAdmissions`. */
export async function writeAhead(tx: Tx, decided: Decided): Promise<Ready> {
  const parts = inParts(decided.admitted.flatMap(jobsOf), (job) => weightOf(job, job.batch !== null));
  if (parts.length <= 1) return { ...decided, parts };
  const now = decided.now ?? (await readNow(tx));
  await insertBatches(tx, decided.admitted.flatMap(batchOf), now);
  await writeInTurns(parts, (part) => insertJobs(tx, part, now));
  return { ...decided, parts, now };
}

/** Writes what `writeAhead` has not written, and sends all queries together. */
export async function writeAdmissions(tx: Tx, ready: Ready): Promise<Admission[]> {
  const { admissions, admitted, now, isLocked, parts } = ready;
  const [only = [], ...more] = parts;
  await Promise.all([
    ...(more.length > 0
      ? []
      : // These run before the lock if this function takes it, so that no other transaction waits for them.
        [insertBatches(tx, admitted.flatMap(batchOf), now), insertJobs(tx, only, now)]),
    isLocked ? saveLimits(tx, withTold(ready)) : lockAndTake(tx, ready),
    writeParts(tx, parts.length > 1 ? inParts(parts.flat(), () => leastWeight) : parts, (part) =>
      writeMoney(tx, part),
    ),
    insertUnanswered(tx, admitted.flatMap(unansweredOf)),
  ]);
  return admissions;
}

function inParts(jobs: JobPart, weightOf: (job: JobPart[number]) => number): JobPart[] {
  const parts: JobPart[] = [];
  let part: JobPart = [];
  let weight = 0;
  for (const job of jobs) {
    const own = weightOf(job);
    if (part.length > 0 && weight + own > mostWeight) {
      parts.push(part);
      part = [];
      weight = 0;
    }
    part.push(job);
    weight += own;
  }
  return part.length > 0 ? [...parts, part] : parts;
}

function weightOf({ prompt, metadata }: Pick<NewJob, 'prompt' | 'metadata'>, isOfBatch: boolean): number {
  if (!isOfBatch) return leastWeight;
  const pairs = metadata === null ? 0 : Object.keys(metadata).length;
  return leastWeight + pairs + Math.floor(prompt.length / charactersOfWeight);
}

async function lockAndTake(tx: Tx, { admitted, limits, stored, changed }: Decided): Promise<void> {
  if (admitted.length === 0) return;
  const requests = admitted.map(requestOf);
  const byAccount = Map.groupBy(requests, ({ accountId }) => accountId);
  await Promise.all([
    lockIfAvailable(
      tx,
      [...byAccount].map(([accountId, own]) => ({
        accountId,
        priceMicros: own.reduce((sum, { priceMicros }) => sum + priceMicros, 0n),
      })),
    ),
    takeIfAllowed(tx, {
      subjectIds: requests.flatMap(({ subjectIds }) => subjectIds),
      limits,
      stored,
      changed,
    }),
  ]);
}

function withTold({ changed, near }: Decided): Limit[] {
  const told = new Set(near.map(({ limit }) => `${limit.subject.id} ${limit.meter}`));
  return changed.map((limit) =>
    told.has(`${limit.subject.id} ${limit.meter}`)
      ? { ...limit, told: { ...limit.told, near: true } }
      : limit,
  );
}

async function writeMoney(tx: Tx, jobs: JobPart): Promise<void> {
  await Promise.all([
    post(
      tx,
      jobs.map(({ id, accountId, priceMicros }) => ({
        accountId,
        kind: 'reserve',
        amountMicros: priceMicros,
        jobId: id,
      })),
    ),
    useKeys(
      tx,
      jobs.flatMap(({ id, accountId, idempotencyKey: key, fingerprint }) =>
        key === null ? [] : [{ accountId, key, fingerprint, jobId: id }],
      ),
    ),
  ]);
}

export function requestOf({
  asker,
  jobs,
  inputBytes,
  unserved,
  idempotency,
  batch,
}: Admittee): AdmissionRequest {
  return {
    jobIds: jobs.map(({ id }) => id),
    isBatch: batch !== undefined,
    accountId: asker.accountId,
    models: jobs.map(({ model }) => model),
    priceMicros: jobs.reduce((sum, job) => sum + job.priceMicros, 0n),
    inputBytes: BigInt(inputBytes),
    subjectIds: subjectIdsOf(asker),
    unserved,
    idempotency,
  };
}

function jobsOf({ asker, jobs, idempotency, batch }: Admittee) {
  return jobs.map((job, index) => ({
    ...asker,
    ...job,
    idempotencyKey:
      idempotency && (batch === undefined || index === 0) ? keyOfJob(idempotency.key, index) : null,
    fingerprint: idempotency?.fingerprint ?? '',
    batch: batch === undefined ? null : { id: batch.id, index },
  }));
}

function unansweredOf({ jobs, unanswered }: Admittee): NewUnanswered[] {
  return unanswered ? [{ ...unanswered, jobIds: jobs.map(({ id }) => id) }] : [];
}

function batchOf({ asker: { accountId }, jobs, batch }: Admittee): NewBatch[] {
  if (batch === undefined) return [];
  const priceMicros = jobs.reduce((sum, job) => sum + job.priceMicros, 0n);
  return [{ ...batch, accountId, jobs: jobs.length, priceMicros }];
}
