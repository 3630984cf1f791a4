import { sql } from 'kysely';
import { nowMs } from '../../db/rows.ts';
import type { Tx } from '../../db/schema.ts';

/** How long an answer is kept: the time in which clients reasonably retry. */
const keptMs = 24 * 60 * 60 * 1000;

interface KeptRequest {
  /** A hash of the caller and their idempotency key. */
  id: string;
  fingerprint: string;
}

export interface KeptAnswer {
  fingerprint: string;
  /** Sealed. Null while the first request is running, and for good if its answer was lost. */
  answer: string | null;
  ageMs: number;
}

/** Records the first request with a key before its work, and returns undefined. For a repeat, returns the record. */
export async function beginAnswer(tx: Tx, { id, fingerprint }: KeptRequest): Promise<KeptAnswer | undefined> {
  await tx
    .deleteFrom('kept_answers')
    .where('created_at', '<', sql<number>`${nowMs} - ${sql.lit(keptMs)}`)
    .execute();
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('kept_answers')
    .values({ id, fingerprint, answer: null, created_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows > 0n) return undefined;
  const first = await tx
    .selectFrom('kept_answers')
    .select(['fingerprint', 'answer', sql<number>`${nowMs} - created_at`.as('ageMs')])
    .where('id', '=', id)
    .executeTakeFirst();
  // If the first request was refused and forgotten since the insert, this one may take its place.
  return first ?? beginAnswer(tx, { id, fingerprint });
}

export async function writeAnswer(tx: Tx, id: string, answer: string): Promise<void> {
  await tx.updateTable('kept_answers').set({ answer }).where('id', '=', id).execute();
}

export async function forgetAnswer(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('kept_answers').where('id', '=', id).execute();
}
