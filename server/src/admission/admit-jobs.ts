import { type Database, DatabaseUnavailable } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { insertJobs, type NewJob } from '../jobs/job-store.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { batcher } from '../std/batcher.ts';
import { type Admission, decideAdmissions, type Idempotency } from './decide-admissions.ts';
import { findKeyRecords, useKeys } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';

export interface Admittee {
  job: NewJob;
  idempotency: Idempotency | null;
}

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
      const admitted = admittees.filter((_, index) => admissions[index]?.kind === 'admitted');
      if (admitted.length > 0) onAdmitted(admitted.map(({ job }) => job.id));
      return admissions;
    },
    { maxBatch, maxWaitMs, isolate: (error) => !(error instanceof DatabaseUnavailable) },
  );
}

async function admit(tx: Tx, admittees: readonly Admittee[]): Promise<Admission[]> {
  const requests = admittees.map(({ job, idempotency }) => ({
    jobId: job.id,
    accountId: job.accountId,
    model: job.model,
    priceMicros: job.priceMicros,
    idempotency,
  }));
  const keys = requests.flatMap(({ accountId, idempotency }) =>
    idempotency ? [{ accountId, key: idempotency.key }] : [],
  );

  // One round trip for all three. They run in this order, so the reads after the lock see everything
  // committed before it.
  const [accounts, records, pauses] = await Promise.all([
    lockBalances(tx, [...new Set(requests.map(({ accountId }) => accountId))]),
    findKeyRecords(tx, keys),
    listPauses(tx),
  ]);
  // Only records of known keys need the time (to detect abandoned holds), and most batches have none.
  const now = records.length > 0 ? await readNow(tx) : 0;
  const admissions = decideAdmissions(requests, { accounts, records, pauses, nowMs: now });

  const admitted = admittees.filter((_, index) => admissions[index]?.kind === 'admitted');
  await Promise.all([
    insertJobs(
      tx,
      admitted.map(({ job, idempotency }) => ({ ...job, idempotencyKey: idempotency?.key ?? null })),
    ),
    post(
      tx,
      admitted.map(({ job }) => ({
        accountId: job.accountId,
        kind: 'reserve',
        amountMicros: job.priceMicros,
        jobId: job.id,
      })),
    ),
    useKeys(
      tx,
      admitted.flatMap(({ job, idempotency }) => {
        if (!idempotency) return [];
        const { key, fingerprint } = idempotency;
        return [{ accountId: job.accountId, key, fingerprint, jobId: job.id }];
      }),
    ),
  ]);
  return admissions;
}
