import { tellLowBalances } from '../alerts/tell-low-balances.ts';
import type { Tx } from '../db/schema.ts';
import type { Entry } from '../ledger/entry.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { giveBack } from '../limits/give-back.ts';
import { subjectIdsOf } from '../limits/limit.ts';
import { type Notice, recordEvents, recordNotices } from '../webhooks/event-store.ts';
import { type Batch, countEnded } from './batches/batch-store.ts';
import { presentBatch } from './batches/present-batch.ts';
import { endIfUnchanged, type Settlement } from './settlement-store.ts';

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
  if (settlements.length === 0) return [];
  const rows = await endIfUnchanged(tx, settlements);
  if (rows.length === 0) return [];
  const entries = rows.map(
    (row): Entry => ({
      accountId: row.account_id,
      kind: row.status === 'done' ? 'capture' : 'release',
      amountMicros: row.price_micros,
      jobId: row.id,
      ...(row.status === 'done' && { model: row.model }),
    }),
  );
  // Queries made together run in order, so the lock is taken first.
  const [locked, , , , finished] = await Promise.all([
    lockBalances(tx, [...new Set(rows.map((row) => row.account_id))]),
    post(tx, entries),
    giveBack(
      tx,
      rows.map((row) => ({
        subjectIds: subjectIdsOf({
          accountId: row.account_id,
          keyId: row.key_id,
          clientTokenId: row.client_token_id,
        }),
        priceMicros: row.price_micros,
        hasFailed: row.status === 'failed',
        createdAt: row.created_at,
      })),
    ),
    recordEvents(
      tx,
      rows.map((row) => ({
        jobId: row.id,
        accountId: row.account_id,
        status: row.status,
        finishedAt: row.finished_at,
        callbackUrl: row.callback_url,
      })),
    ),
    countEnded(tx, rows),
  ]);
  await tellLowBalances(tx, locked, entries);
  await recordNotices(tx, finished.map(endOfBatch));
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, status: row.status }));
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
