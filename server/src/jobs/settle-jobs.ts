import { tellLowBalances } from '../alerts/tell-low-balances.ts';
import type { Tx } from '../db/schema.ts';
import type { Entry } from '../ledger/entry.ts';
import { lockBalances, lockUnlessFalling, post } from '../ledger/ledger-store.ts';
import { type EndedUse, giveBack } from '../limits/give-back-store.ts';
import { subjectIdsOf } from '../limits/limit.ts';
import { type Endpoint, findEndpoints } from '../webhooks/endpoints/endpoint-store.ts';
import {
  type JobEnd,
  type Notice,
  recordEvents,
  recordEventsFor,
  recordNotices,
} from '../webhooks/event-store.ts';
import { type Batch, countEnded } from './batches/batch-store.ts';
import { presentBatch } from './batches/present-batch.ts';
import { type EndedJob, endIfUnchanged, type Settlement } from './settlement-store.ts';

export interface Settled {
  id: string;
  accountId: string;
  status: 'done' | 'failed';
}

/**
 * Makes jobs terminal, settles their money and records their events. Every job ends here. Returns the jobs
 * that matched their fence; the others are left alone.
 */
export async function settleIfUnchanged(tx: Tx, settlements: readonly Settlement[]): Promise<Settled[]> {
  const rows = await end(tx, settlements);
  if (rows.length > 0) await settle(tx, rows);
  return rows.map(settledOf);
}

export interface Ended {
  settled: Settled[];
  /** What is still to be written, with what was read for it. */
  rest: { rows: readonly EndedJob[]; endpoints: readonly Endpoint[] } | undefined;
}

/** The first half of `settleIfUnchanged`, which locks no account: `settleEnded` is the other. */
export async function endWithoutLock(tx: Tx, settlements: readonly Settlement[]): Promise<Ended> {
  const rows = await end(tx, settlements);
  const settled = rows.map(settledOf);
  if (rows.length === 0) return { settled, rest: undefined };
  // A batch that has ended is told, which depends on what others have counted.
  if (rows.every(({ batch_id }) => batch_id === null))
    return { settled, rest: { rows, endpoints: await findEndpoints(tx, accountsOf(rows)) } };
  await settle(tx, rows);
  return { settled, rest: undefined };
}

/**
 * The second half: locks the accounts, and writes what depends on it; what was read before is asserted. Makes all of its queries at
 * once.
 */
export async function settleEnded(tx: Tx, { rest }: Ended): Promise<void> {
  if (!rest) return;
  const { rows, endpoints } = rest;
  const entries = rows.map(entryOf);
  await Promise.all([
    lockUnlessFalling(tx, entries),
    post(tx, entries),
    giveBack(tx, rows.map(useOf)),
    recordEventsFor(tx, rows.map(endOf), endpoints),
  ]);
}

async function end(tx: Tx, settlements: readonly Settlement[]): Promise<EndedJob[]> {
  return settlements.length === 0 ? [] : endIfUnchanged(tx, settlements);
}

async function settle(tx: Tx, rows: readonly EndedJob[]): Promise<void> {
  const entries = rows.map(entryOf);
  // Queries made together run in order, so the lock is taken first.
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

function settledOf({ id, account_id: accountId, status }: EndedJob): Settled {
  return { id, accountId, status };
}

function accountsOf(rows: readonly EndedJob[]): string[] {
  return [...new Set(rows.map((row) => row.account_id))];
}

function entryOf({ id, account_id, status, price_micros, model }: EndedJob): Entry {
  return {
    accountId: account_id,
    kind: status === 'done' ? 'capture' : 'release',
    amountMicros: price_micros,
    jobId: id,
    ...(status === 'done' && { model }),
  };
}

function useOf(row: EndedJob): EndedUse {
  const { account_id: accountId, key_id: keyId, client_token_id: clientTokenId } = row;
  return {
    subjectIds: subjectIdsOf({ accountId, keyId, clientTokenId }),
    priceMicros: row.price_micros,
    hasFailed: row.status === 'failed',
    createdAt: row.created_at,
  };
}

function endOf({ id, account_id, status, finished_at, callback_url }: EndedJob): JobEnd {
  return { jobId: id, accountId: account_id, status, finishedAt: finished_at, callbackUrl: callback_url };
}

/** Told once, because it is about the batch, and with the last of its jobs. */
function endOfBatch(batch: Batch): Notice {
  const { accountId, callbackUrl, finishedAt } = batch;
  return {
    ...{ accountId, callbackUrl, type: 'batch.completed', aboutId: batch.id },
    at: finishedAt ?? batch.createdAt, // it has just been finished
    data: presentBatch(batch, 0),
  };
}
