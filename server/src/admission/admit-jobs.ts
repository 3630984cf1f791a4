import { type Database, DatabaseUnavailable } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { insertJobs, type NewJob } from '../jobs/job-store.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { countUses } from '../limits/count-uses.ts';
import { type JobMeter, jobMeters, type Limit, subjectIdsOf } from '../limits/limit.ts';
import { readLimits, saveLimits } from '../limits/limit-store.ts';
import { batcher } from '../std/batcher.ts';
import { type Admission, decideAdmissions, type Idempotency, keyOfJob, keysOf } from './decide-admissions.ts';
import { findKeyRecords, useKeys } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';

export interface Admittee {
  /** What its jobs have in common. */
  shared: Omit<NewJob, OwnField>;
  /** All are admitted, or none. */
  jobs: readonly Pick<NewJob, OwnField>[];
  idempotency: Idempotency | null;
}

/** In what the jobs of a request may differ. */
type OwnField =
  | 'id'
  | 'inputs'
  | 'model'
  | 'modelVersion'
  | 'aspectRatio'
  | 'resolution'
  | 'parameters'
  | 'priceMicros';

// A batch is one transaction: large enough that a hot account is not the bottleneck, small enough to take
// milliseconds.
const maxBatch = 128;
// Telling a client to retry is better than making it wait longer; a database that fails over is back by then.
const maxWaitMs = 3_000;

/**
 * Admits creates that arrive together in one transaction: locks the accounts, decides which requests to
 * admit, and writes jobs, ledger and idempotency records. A single create does not wait for others.
 */
export function createAdmission(
  database: Database,
  onAdmitted: (jobIds: string[]) => void,
): (admittee: Admittee) => Promise<Admission> {
  return batcher(
    async (admittees: Admittee[]) => {
      const admissions = await database.transaction((tx) => admit(tx, admittees));
      const admitted = admissions.flatMap((one) => (one.kind === 'admitted' ? one.jobIds : []));
      if (admitted.length > 0) onAdmitted(admitted);
      return admissions;
    },
    { maxBatch, maxWaitMs, isolate: (error) => !(error instanceof DatabaseUnavailable) },
  );
}

async function admit(tx: Tx, admittees: readonly Admittee[]): Promise<Admission[]> {
  const requests = admittees.map(({ shared, jobs, idempotency }) => ({
    jobIds: jobs.map(({ id }) => id),
    accountId: shared.accountId,
    models: jobs.map(({ model }) => model),
    priceMicros: jobs.reduce((sum, job) => sum + job.priceMicros, 0n),
    subjectIds: subjectIdsOf(shared),
    idempotency,
  }));

  // One round trip for all. They run in this order, so the reads after the lock see everything
  // committed before it.
  const [accounts, records, pauses, limits] = await Promise.all([
    lockBalances(tx, [...new Set(requests.map(({ accountId }) => accountId))]),
    findKeyRecords(tx, requests.flatMap(keysOf)),
    listPauses(tx),
    readLimits(
      tx,
      requests.flatMap(({ subjectIds }) => subjectIds),
      jobMeters,
    ),
  ]);
  // Only records of known keys (to detect abandoned holds) and limits need the time, and most batches have neither.
  const now = records.length + limits.length > 0 ? await readNow(tx) : null;
  const admissions = decideAdmissions(requests, { accounts, records, pauses, limits, nowMs: now ?? 0 });

  const admitted = admittees.flatMap((admittee, index) =>
    admissions[index]?.kind === 'admitted' ? jobsOf(admittee) : [],
  );
  await Promise.all([
    insertJobs(tx, admitted, now),
    saveLimits(tx, usesOf(admitted, limits, now ?? 0)),
    post(
      tx,
      admitted.map(({ id, accountId, priceMicros }) => ({
        accountId,
        kind: 'reserve',
        amountMicros: priceMicros,
        jobId: id,
      })),
    ),
    useKeys(
      tx,
      admitted.flatMap(({ id, accountId, idempotencyKey: key, fingerprint }) =>
        key === null ? [] : [{ accountId, key, fingerprint, jobId: id }],
      ),
    ),
  ]);
  return admissions;
}

/** What is used of limits once these jobs are admitted; of those alone that change. */
function usesOf(admitted: readonly NewJob[], limits: readonly Limit<JobMeter>[], nowMs: number): Limit[] {
  if (limits.length === 0) return [];
  const uses = countUses(limits, nowMs);
  for (const job of admitted) uses.take({ subjectIds: subjectIdsOf(job), priceMicros: job.priceMicros }, 1);
  return uses.changed();
}

function jobsOf({ shared, jobs, idempotency }: Admittee) {
  return jobs.map((job, index) => ({
    ...shared,
    ...job,
    idempotencyKey: idempotency && keyOfJob(idempotency.key, index),
    fingerprint: idempotency?.fingerprint ?? '',
  }));
}
