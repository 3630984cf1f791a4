import { type Selectable, sql } from 'kysely';
import { isAnyOf, nowMs } from '../../base/db/rows.ts';
import type { PaymentsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { PaidEvent, ReversalEvent } from './payment-provider.ts';

export interface Payment {
  id: string;
  accountId: string;
  provider: string;
  /** `unclaimed` is a payment for an account that was erased meanwhile. */
  state: PaymentsTable['state'];
  amountMicros: bigint;
  reference: string | null;
  /** The refunded or disputed part of the amount. */
  reversedMicros: bigint;
  createdAt: number;
  paidAt: number | null;
  reversals: Reversal[];
}

export interface Reversal {
  reference: string;
  kind: 'refund' | 'dispute';
  state: 'taken' | 'returned';
}

/** Names the setting with the time up to which the provider's events have been listed. */
export function listedSetting(provider: string): string {
  return `payments.${provider}.listed`;
}

type NewPayment = Pick<Payment, 'id' | 'accountId' | 'provider' | 'amountMicros'>;

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

export async function markFailed(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('payments')
    .set({ state: 'failed' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function findPayment(queries: Queries, id: string): Promise<Payment | undefined> {
  const rows = await queries.selectFrom('payments').selectAll().where('id', '=', id).execute();
  const [payment] = await withReversals(queries, rows);
  return payment;
}

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

/** Lists payments, newest first, by default of all accounts. */
export async function listPayments(
  queries: Queries,
  { accountId, before, limit }: { accountId?: string; before: string | undefined; limit: number },
): Promise<Payment[]> {
  const rows = await queries
    .selectFrom('payments')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return withReversals(queries, rows);
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

/**
 * Stores a newer report of a reversal. Of two reports in the same second, the later state wins: `returned` over
 * `taken`, and a lost dispute over an open one. Returns the reversal's turn, or undefined if the report is not newer.
 * Turns with the same state are at least two apart, so that half a turn numbers the entries of each state.
 */
export async function writeReversal(
  tx: Tx,
  {
    paymentId,
    ...said
  }: Pick<ReversalEvent, 'reference' | 'minor' | 'state' | 'saidAt' | 'what' | 'isOver'> & {
    paymentId: string;
  },
): Promise<number | undefined> {
  const { reference, minor, state, saidAt, what } = said;
  const isOver = said.isOver ? 1 : 0;
  const { rows } = await sql<{ turn: number }>`
    insert into payment_reversals as known (reference, payment_id, minor, state, kind, said_at, is_over)
    values (${reference}, ${paymentId}, ${minor}, ${state}, ${what}, ${saidAt}, ${isOver})
    on conflict (reference) do update set state = excluded.state, kind = excluded.kind, said_at = excluded.said_at,
      is_over = excluded.is_over, minor = excluded.minor,
      turn = known.turn + case when known.state <> excluded.state then 1
        when known.minor <> excluded.minor then 2 else 0 end
    where excluded.said_at > known.said_at
      or (excluded.said_at = known.said_at and known.state = 'taken'
        and (excluded.state = 'returned' or excluded.is_over > known.is_over))
    returning turn`.execute(tx);
  return rows[0]?.turn;
}

export async function deleteOpenPayment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('payments').where('id', '=', id).where('state', '=', 'open').execute();
}

async function withReversals(
  queries: Queries,
  payments: readonly Selectable<PaymentsTable>[],
): Promise<Payment[]> {
  const ids = payments.filter(({ reference }) => reference !== null).map(({ id }) => id);
  const rows =
    ids.length === 0
      ? []
      : await queries
          .selectFrom('payment_reversals')
          .select(['payment_id', 'reference', 'kind', 'state'])
          .where(isAnyOf(queries, 'payment_id', ids, 'uuid'))
          .orderBy('reference')
          .execute();
  const byPayment = Map.groupBy(rows, ({ payment_id }) => payment_id);
  return payments.map((row) => ({
    ...{ id: row.id, accountId: row.account_id, provider: row.provider, state: row.state },
    ...{ amountMicros: row.amount_micros, reference: row.reference, reversedMicros: row.reversed_micros },
    ...{ createdAt: row.created_at, paidAt: row.paid_at },
    reversals: (byPayment.get(row.id) ?? []).map(({ payment_id: _, ...reversal }) => reversal),
  }));
}
