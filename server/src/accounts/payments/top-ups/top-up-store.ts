import { type RawBuilder, sql } from 'kysely';
import { nowMs } from '../../../base/db/rows.ts';
import type { Queries, TopUpsTable, Tx } from '../../../base/db/schema.ts';
import type { Card, CardEvent, Charge, Refusal } from '../payment-provider.ts';
import type { TopUpStanding } from './decide-top-up.ts';

export interface TopUp {
  state: TopUpsTable['state'];
  stoppedBy: Refusal | null;
  card: Card | null;
  customer: string | null;
  thresholdMicros: bigint | null;
  amountMicros: bigint | null;
  monthMicros: bigint | null;
  pageOpenedAt: number | null;
}

const none: TopUp = {
  ...{ state: 'off', stoppedBy: null, card: null, customer: null, pageOpenedAt: null },
  ...{ thresholdMicros: null, amountMicros: null, monthMicros: null },
};

export async function findTopUp(queries: Queries, accountId: string): Promise<TopUp> {
  const row = await queries
    .selectFrom('top_ups')
    .leftJoin('payment_cards', 'payment_cards.id', 'top_ups.card')
    .selectAll('top_ups')
    .select(['payment_cards.brand', 'payment_cards.last4', 'payment_cards.ends'])
    .where('top_ups.account_id', '=', accountId)
    .executeTakeFirst();
  if (!row) return none;
  const { card: id, brand, last4, ends } = row;
  return {
    ...{ state: row.state, stoppedBy: row.stopped_by, customer: row.customer },
    card: id === null ? null : { id, brand: brand ?? '', last4: last4 ?? '', ends: ends ?? '' },
    ...{ thresholdMicros: row.threshold_micros, amountMicros: row.amount_micros },
    ...{ monthMicros: row.month_micros, pageOpenedAt: row.page_opened_at },
  };
}

export async function hasTopUps(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom('top_ups')
    .select('account_id')
    .where(({ eb, or }) => or([eb('state', '<>', 'off'), eb('card', 'is not', null)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Settings = Pick<
  TopUpsTable,
  'state' | 'stopped_by' | 'card' | 'customer' | 'threshold_micros' | 'amount_micros' | 'month_micros'
> & { page_opened_at: number | null };

/** Saves settings, under the account's lock. Omitted settings keep their values. */
export async function saveTopUp(tx: Tx, accountId: string, settings: Partial<Settings>): Promise<void> {
  // The database checks the inserted row before it finds the conflict, so a partial row would fail.
  await tx
    .insertInto('top_ups')
    .values({ account_id: accountId, state: 'off' })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  await tx.updateTable('top_ups').set(settings).where('account_id', '=', accountId).execute();
}

/** Forgets when a page was opened, unless another page was opened since. */
export async function forgetPage(tx: Tx, accountId: string, openedAt: number): Promise<void> {
  await tx
    .updateTable('top_ups')
    .set({ page_opened_at: null })
    .where('account_id', '=', accountId)
    .where('page_opened_at', '=', openedAt)
    .execute();
}

/** Returns false for a card that was saved before, even if it has been removed since. */
export async function insertCardIfNew(
  tx: Tx,
  { accountId, customer, savedAt, card: { id, brand, last4, ends } }: Omit<CardEvent, 'kind'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_cards')
    .values({ id, account_id: accountId, customer, brand, last4, ends, gone_at: null, saved_at: savedAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function hasLaterCard(queries: Queries, accountId: string, savedAt: number): Promise<boolean> {
  const row = await queries
    .selectFrom('payment_cards')
    .select('id')
    .where('account_id', '=', accountId)
    .where('saved_at', '>', savedAt)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findCardOwner(queries: Queries, card: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('payment_cards')
    .select('account_id')
    .where('id', '=', card)
    .executeTakeFirst();
  return row?.account_id;
}

/** Keeps the row, so that a repeated event does not add the card again. */
export async function markCardGone(tx: Tx, card: string): Promise<void> {
  await tx.updateTable('payment_cards').set({ gone_at: nowMs }).where('id', '=', card).execute();
}

const mayCharge = sql`top_ups.state = 'on' and debt_micros = 0 and disabled_at is null and erased_at is null`;

/** Lists accounts that may have to be charged. The decision comes later, under the lock. */
export async function listLowAccounts(
  queries: Queries,
  { monthStart, limit }: { monthStart: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select account_id as id from top_ups
    join accounts on accounts.id = top_ups.account_id
    where ${mayCharge} and balance_micros - reserved_micros < threshold_micros
      and not exists (select 1 from payments where payments.account_id = top_ups.account_id
        and payments.state = 'open' and payments.card is not null)
      and amount_micros + ${usedSince(sql.ref('top_ups.account_id'), monthStart)} <= month_micros
    order by account_id limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

type Counted = Pick<TopUpStanding, 'usedMicros' | 'hasOpenCharge' | 'hasDispute' | 'isClosed'>;

/** Reads what a decision needs about charges, disputes and the account's state. Needs the account's lock. */
export async function countCharges(
  queries: Queries,
  accountId: string,
  monthStart: number,
): Promise<Counted> {
  const { rows } = await sql<{ used: bigint; charging: number; disputed: number; closed: number }>`select
      ${usedSince(sql`${accountId}`, monthStart)} as used,
      (select count(*) from payments where account_id = ${accountId} and state = 'open' and card is not null) as charging,
      (select count(*) from payment_reversals join payments on payments.id = payment_reversals.payment_id
        where payments.account_id = ${accountId} and payment_reversals.kind = 'dispute'
          and payment_reversals.state = 'taken' and is_over = 0) as disputed,
      (select count(*) from accounts where id = ${accountId} and disabled_at is not null) as closed`.execute(
    queries,
  );
  const [{ used, charging, disputed, closed } = { used: 0n, charging: 0, disputed: 0, closed: 0 }] = rows;
  return {
    ...{ usedMicros: BigInt(used), hasOpenCharge: Number(charging) > 0 },
    ...{ hasDispute: Number(disputed) > 0, isClosed: Number(closed) > 0 },
  };
}

/** Sums the charges since a time. Refunded charges count; refused charges do not. */
function usedSince(accountId: RawBuilder<unknown>, sinceMs: number) {
  return sql`(select coalesce(sum(charged.amount_micros), 0) from payments as charged
    where charged.account_id = ${accountId} and charged.card is not null
      and charged.created_at >= ${sinceMs} and charged.state <> 'failed')`;
}

export async function insertCharge(
  tx: Tx,
  {
    paymentId,
    accountId,
    amountMicros,
    card,
    provider,
  }: Omit<Charge, 'customer' | 'currency'> & { provider: string },
): Promise<void> {
  await tx
    .insertInto('payments')
    .values({
      ...{ id: paymentId, account_id: accountId, provider, state: 'open', amount_micros: amountMicros, card },
      ...{ reference: null, charged_minor: null, created_at: nowMs, paid_at: null, asked_at: nowMs },
    })
    .execute();
}

export interface OpenCharge extends Omit<Charge, 'currency'> {
  createdAt: number;
}

export async function listUnanswered(
  queries: Queries,
  { leaseMs, limit }: { leaseMs: number; limit: number },
): Promise<OpenCharge[]> {
  const { rows } =
    await sql<UnansweredRow>`select payments.id, payments.account_id, amount_micros, card, customer, created_at
    from payments join payment_cards on payment_cards.id = payments.card
    where payments.state = 'open' and payments.card is not null and asked_at < ${nowMs} - ${leaseMs}
    order by asked_at limit ${limit}`.execute(queries);
  return rows.map(({ id, account_id, amount_micros, created_at, ...card }) => ({
    ...{ paymentId: id, accountId: account_id, amountMicros: amount_micros, createdAt: created_at, ...card },
  }));
}

interface UnansweredRow {
  id: string;
  account_id: string;
  amount_micros: bigint;
  card: string;
  customer: string;
  created_at: number;
}

/** False if top-up has been turned off or has stopped, the card was replaced, or the account owes or is disabled. */
export async function isStillWanted(
  queries: Queries,
  { accountId, card }: Pick<OpenCharge, 'accountId' | 'card'>,
): Promise<boolean> {
  const { rows } = await sql`select account_id from top_ups join accounts on accounts.id = top_ups.account_id
    where account_id = ${accountId} and card = ${card} and ${mayCharge}`.execute(queries);
  return rows.length > 0;
}

/** Claims an unanswered charge. False if another process is asking the provider, or the charge has a result. */
export async function claimUnanswered(tx: Tx, paymentId: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update payments set asked_at = ${nowMs}
    where id = ${paymentId} and state = 'open' and asked_at < ${nowMs} - ${leaseMs}`.execute(tx);
  return numAffectedRows > 0n;
}
