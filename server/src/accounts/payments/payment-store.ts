import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { PaymentsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { PaidEvent } from './payment-provider.ts';

export interface Payment {
  id: string;
  accountId: string;
  provider: string;
  /** `unclaimed`: it was paid for an account that was erased meanwhile. */
  state: PaymentsTable['state'];
  amountMicros: bigint;
  reference: string | null;
  createdAt: number;
  paidAt: number | null;
}

type NewPayment = Pick<Payment, 'id' | 'accountId' | 'provider' | 'amountMicros'>;

/** Open, unless it is there already. */
export async function insertPaymentIfNew(
  tx: Tx,
  { id, accountId, provider, amountMicros }: NewPayment,
): Promise<void> {
  await tx
    .insertInto('payments')
    .values({
      ...{ id, account_id: accountId, provider, state: 'open', amount_micros: amountMicros },
      ...{ reference: null, charged_minor: null, created_at: nowMs, paid_at: null },
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Returns false where it was paid before. */
export async function markPaid(
  tx: Tx,
  id: string,
  paid: { state: 'paid' | 'unclaimed'; reference: string; chargedMinor: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('payments')
    .set({ state: paid.state, reference: paid.reference, charged_minor: paid.chargedMinor, paid_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', ['open', 'failed'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Does nothing where it was paid. */
export async function markFailed(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ state: 'failed' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
}

export async function findPayment(queries: Queries, id: string): Promise<Payment | undefined> {
  const row = await queries.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toPayment(row);
}

/** One that was paid, by what the provider calls it. */
export async function findPaid(queries: Queries, reference: string): Promise<PaidEvent | undefined> {
  const row = await queries
    .selectFrom('payments')
    .select(['id', 'account_id', 'amount_micros', 'charged_minor'])
    .where('reference', '=', reference)
    .executeTakeFirst();
  return (
    row && {
      ...{ kind: 'paid', paymentId: row.id, accountId: row.account_id, amountMicros: row.amount_micros },
      ...{ reference, chargedMinor: row.charged_minor ?? 0 },
    }
  );
}

/** Newest first. */
export async function listPayments(
  queries: Queries,
  { accountId, before, limit }: { accountId: string; before: string | undefined; limit: number },
): Promise<Payment[]> {
  const rows = await queries
    .selectFrom('payments')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toPayment);
}

export async function countOpenPayments(
  queries: Queries,
  accountId: string,
  sinceMs: number,
): Promise<number> {
  const { count } = await queries
    .selectFrom('payments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .where('created_at', '>', sinceMs)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What a payment stands at. */
export async function findStanding(
  queries: Queries,
  paymentId: string,
): Promise<{ takenMinor: bigint; reversedMicros: bigint } | undefined> {
  const { rows } = await sql<{ taken: number | null; reversed_micros: bigint }>`select reversed_micros,
      (select sum(minor) from payment_reversals where payment_id = payments.id and state = 'taken') as taken
    from payments where id = ${paymentId}`.execute(queries);
  const [row] = rows;
  return row && { takenMinor: BigInt(row.taken ?? 0), reversedMicros: row.reversed_micros };
}

export async function writeReversed(tx: Tx, paymentId: string, reversedMicros: bigint): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ reversed_micros: reversedMicros })
    .where('id', '=', paymentId)
    .execute();
}

/** What was returned stays so, whatever is heard of its beginning. Returns false where nothing is new. */
export async function writeReversal(
  tx: Tx,
  reversal: { reference: string; paymentId: string; minor: number; state: 'taken' | 'returned' },
): Promise<boolean> {
  const { reference, paymentId, minor, state } = reversal;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_reversals')
    .values({ reference, payment_id: paymentId, minor, state })
    .onConflict((conflict) =>
      conflict
        .column('reference')
        .doUpdateSet({ state })
        .where('payment_reversals.state', '=', 'taken')
        .where(sql<boolean>`${sql.lit(state)} = 'returned'`),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** One of which no page came to be. */
export async function deleteOpenPayment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('payments').where('id', '=', id).where('state', '=', 'open').execute();
}

function toPayment(row: Omit<PaymentsTable, 'reversed_micros'>): Payment {
  return {
    ...{ id: row.id, accountId: row.account_id, provider: row.provider, state: row.state },
    ...{ amountMicros: row.amount_micros, reference: row.reference },
    ...{ createdAt: row.created_at, paidAt: row.paid_at },
  };
}
