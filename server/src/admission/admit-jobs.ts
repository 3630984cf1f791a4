import { type Database, DatabaseUnavailable } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { insertJobs, type NewJob } from '../jobs/job-store.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { countUses } from '../limits/count-uses.ts';
import { jobMeters, type Limit, type LimitDefaults, noDefaults, subjectIdsOf } from '../limits/limit.ts';
import { readLimits, saveLimits } from '../limits/limit-store.ts';
import { isIncomplete, subjectsOf, underDefaults } from '../limits/read-limits.ts';
import { batcher } from '../std/batcher.ts';
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionState,
  decideAdmissions,
  type Idempotency,
  keyOfJob,
  keysOf,
  useBy,
} from './decide-admissions.ts';
import { findKeyRecords, useKeys } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';

export interface Admittee {
  /** What its jobs have in common. */
  shared: Omit<NewJob, OwnField>;
  /** All are admitted, or none. */
  jobs: readonly Pick<NewJob, OwnField>[];
  /** Of inputs that were fetched for them. */
  inputBytes: number;
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
  defaults: LimitDefaults = noDefaults,
): (admittee: Admittee) => Promise<Admission> {
  return batcher(
    async (admittees: Admittee[]) => {
      const admissions = await database.transaction((tx) => admit(tx, admittees, defaults));
      const admitted = admissions.flatMap((one) => (one.kind === 'admitted' ? one.jobIds : []));
      if (admitted.length > 0) onAdmitted(admitted);
      return admissions;
    },
    { maxBatch, maxWaitMs, isolate: (error) => !(error instanceof DatabaseUnavailable) },
  );
}

async function admit(tx: Tx, admittees: readonly Admittee[], defaults: LimitDefaults): Promise<Admission[]> {
  const requests = admittees.map(({ shared, jobs, inputBytes, idempotency }) => ({
    jobIds: jobs.map(({ id }) => id),
    accountId: shared.accountId,
    models: jobs.map(({ model }) => model),
    priceMicros: jobs.reduce((sum, job) => sum + job.priceMicros, 0n),
    inputBytes: BigInt(inputBytes),
    subjectIds: subjectIdsOf(shared),
    idempotency,
  }));

  // One round trip for all. They run in this order, so the reads after the lock see everything
  // committed before it.
  const [accounts, records, pauses, stored] = await Promise.all([
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
  const hasMore = isIncomplete(stored, defaults);
  const now = hasMore || records.length + stored.length > 0 ? await readNow(tx) : null;
  const nowMs = now ?? 0;
  const subjects = subjectsOf(admittees.map(({ shared }) => shared));
  const limits = hasMore
    ? await underDefaults(tx, stored, { subjects, of: jobMeters, defaults, nowMs })
    : stored;
  const admissions = decideAdmissions(requests, { accounts, records, pauses, limits, nowMs });

  const admitted = admittees.flatMap((admittee, index) =>
    admissions[index]?.kind === 'admitted' ? jobsOf(admittee) : [],
  );
  await Promise.all([
    insertJobs(tx, admitted, now),
    saveLimits(tx, changedLimits(requests, admissions, { limits, nowMs, stored: stored.length })),
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

/** What is used of limits once these requests are admitted: of those that change, and of those that are not stored yet. */
function changedLimits(
  requests: readonly AdmissionRequest[],
  admissions: readonly Admission[],
  { limits, nowMs, stored }: Pick<AdmissionState, 'limits' | 'nowMs'> & { stored: number },
): Limit[] {
  if (limits.length === 0) return [];
  const uses = countUses(limits, nowMs);
  for (const [index, request] of requests.entries())
    if (admissions[index]?.kind === 'admitted') uses.take(useBy(request));
  // Jobs that wait are counted anew each time.
  return uses.changed(stored).filter(({ meter }) => meter !== 'waiting');
}

function jobsOf({ shared, jobs, idempotency }: Admittee) {
  return jobs.map((job, index) => ({
    ...shared,
    ...job,
    idempotencyKey: idempotency && keyOfJob(idempotency.key, index),
    fingerprint: idempotency?.fingerprint ?? '',
  }));
}
