import type { Tx } from '../base/db/schema.ts';
import type { Entry } from '../money/ledger/entry.ts';
import {
  lockBalances,
  post,
  postUnlessFalling,
  standInLine,
  standInLineForJobs,
} from '../money/ledger/ledger-store.ts';
import { type EndedUse, giveBack } from '../money/limits/give-back-store.ts';
import { subjectIdsOf } from '../money/limits/limit.ts';
import { tellLowBalances } from '../notify/alerts/tell-low-balances.ts';
import { type Endpoint, findEndpointsOfJobs } from '../notify/webhooks/endpoints/endpoint-store.ts';
import {
  type JobEnd,
  type Notice,
  recordEvents,
  recordEventsFor,
  recordNotices,
} from '../notify/webhooks/event-store.ts';
import { type Batch, countEnded, countUnlessLast } from './batches/batch-store.ts';
import { presentBatch } from './batches/present-batch.ts';
import { noteAbandoned } from './costs/attempt-cost-store.ts';
import {
  type EndedJob,
  type EndingJob,
  endAsRead,
  endIfUnchanged,
  readEnding,
  type Settlement,
} from './settlement-store.ts';

export interface Settled {
  id: string;
  attempt: number;
  accountId: string;
  status: 'done' | 'failed';
}

/**
 * Ends jobs; every job ends here. Returns the jobs that still matched their settlement's attempt and worker. Code that
 * locks rows of such jobs must first wait for its turn at the jobs' accounts, or it can deadlock with this function.
 */
export async function settleJobsIfUnchanged(tx: Tx, settlements: readonly Settlement[]): Promise<Settled[]> {
  if (settlements.length === 0) return [];
  const [, rows] = await Promise.all([
    standInLineForJobs(
      tx,
      settlements.map(({ jobId }) => jobId),
    ),
    endIfUnchanged(tx, settlements),
  ]);
  await settle(tx, rows);
  const waiting = new Set(settlements.flatMap(({ jobId, worker }) => (worker === null ? [jobId] : [])));
  await noteAbandoned(
    tx,
    rows.flatMap(({ id }) => (waiting.has(id) ? [id] : [])),
  );
  return rows.map(settledOf);
}

export interface Ending {
  settlements: readonly Settlement[];
  jobs: readonly EndingJob[];
  endpoints: readonly Endpoint[];
}

/** The first half of `settleJobsIfUnchanged`, without a lock; `settleAsRead` is the other half. */
export async function readEnds(tx: Tx, settlements: readonly Settlement[]): Promise<Ending> {
  if (settlements.length === 0) return { settlements, jobs: [], endpoints: [] };
  const ids = settlements.map(({ jobId }) => jobId);
  const [jobs, endpoints] = await Promise.all([readEnding(tx, settlements), findEndpointsOfJobs(tx, ids)]);
  const found = new Set(jobs.map(({ id }) => id));
  const accounts = new Set(accountsOf(jobs));
  return {
    settlements: settlements.filter(({ jobId }) => found.has(jobId)),
    jobs,
    endpoints: endpoints.filter(({ accountId }) => accounts.has(accountId)),
  };
}

/**
 * Locks accounts, then jobs. Asserts that nothing has changed, that no batch finishes, and that no balance falls below
 * an alert.
 */
export async function settleAsRead(tx: Tx, { settlements, jobs, endpoints }: Ending): Promise<void> {
  if (jobs.length === 0) return;
  await Promise.all([
    standInLine(tx, accountsOf(jobs)),
    endAsRead(tx, settlements),
    postUnlessFalling(tx, jobs.map(entryOf)),
    giveBack(tx, jobs.map(useOf)),
    recordEventsFor(tx, jobs.map(endOf), endpoints),
    countUnlessLast(tx, jobs),
  ]);
}

async function settle(tx: Tx, rows: readonly EndedJob[]): Promise<void> {
  const entries = rows.map(entryOf);
  // Queries sent together run in order, so the lock comes first.
  const [locked, , , , finished] = await Promise.all([
    lockBalances(tx, accountsOf(rows)),
    post(tx, entries),
    giveBack(tx, rows.map(useOf)),
    recordEvents(tx, rows.map(endOf)),
    countEnded(tx, rows),
  ]);
  await tellLowBalances(tx, locked, entries);
  await recordNotices(tx, finished.map(endOfBatch));
}

export function settledOf({ id, attempt, account_id: accountId, status }: EndingJob): Settled {
  return { id, attempt, accountId, status };
}

function accountsOf(rows: readonly EndingJob[]): string[] {
  return [...new Set(rows.map((row) => row.account_id))];
}

function entryOf({ id, account_id, status, price_micros, model }: EndingJob): Entry {
  return {
    accountId: account_id,
    kind: status === 'done' ? 'capture' : 'release',
    amountMicros: price_micros,
    jobId: id,
    ...(status === 'done' && { model }),
  };
}

function useOf(row: EndingJob): EndedUse {
  const { account_id: accountId, key_id: keyId, client_token_id: clientTokenId } = row;
  return {
    subjectIds: subjectIdsOf({ accountId, keyId, clientTokenId }),
    priceMicros: row.price_micros,
    hasFailed: row.status === 'failed',
    createdAt: row.created_at,
    jobId: row.id,
  };
}

function endOf(job: EndingJob | EndedJob): JobEnd {
  const { id: jobId, account_id: accountId, status, callback_url: callbackUrl } = job;
  return { jobId, accountId, status, finishedAt: 'finished_at' in job ? job.finished_at : null, callbackUrl };
}

function endOfBatch(batch: Batch): Notice {
  const { accountId, callbackUrl, finishedAt } = batch;
  return {
    ...{ accountId, callbackUrl, type: 'batch.completed', aboutId: batch.id },
    at: finishedAt ?? batch.createdAt, // the batch has just finished
    data: presentBatch(batch, 0),
  };
}
