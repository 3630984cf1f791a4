import type { Actor } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { type LockedAccount, lockBalances } from '../../money/ledger/ledger-store.ts';
import { addCredit } from '../credit-account.ts';
import type { TellBalances } from '../debit-account.ts';
import { takeBack } from '../take-back.ts';
import type { PaidEvent, PaymentEvent, PaymentProvider, ReversalEvent } from './payment-provider.ts';
import { findReversal, insertPaymentIfNew, markFailed, markPaid, writeReversal } from './payment-store.ts';

export interface SettleDeps {
  database: Database;
  provider: Pick<PaymentProvider, 'name' | 'title'>;
  tellBalances: TellBalances;
}

/**
 * Does to the balance what a provider says of a payment: each event once, whatever is repeated, comes in another order, or at the same
 * time elsewhere. The account's lock decides.
 */
export async function settlePayment(deps: SettleDeps, event: PaymentEvent): Promise<void> {
  const { database } = deps;
  await database.transaction(async (tx) => {
    if (event.kind === 'failed') return markFailed(tx, event.paymentId);
    const paid = event.kind === 'paid' ? event : event.of;
    const [locked] = await lockBalances(tx, [paid.accountId]);
    // Made by another installation that the same provider serves.
    if (!locked) return;
    await credit(tx, deps, paid, locked);
    if (event.kind === 'reversal') await reverse(tx, deps, event);
  });
}

async function credit(
  tx: Tx,
  { provider }: SettleDeps,
  { paymentId, accountId, amountMicros, ...charge }: PaidEvent,
  { isErased }: LockedAccount,
): Promise<void> {
  await insertPaymentIfNew(tx, { id: paymentId, accountId, amountMicros, provider: provider.name });
  const isNew = await markPaid(tx, paymentId, { state: isErased ? 'unclaimed' : 'paid', ...charge });
  if (!isNew || isErased) return;
  const { reference } = charge;
  const reason = `Payment by ${provider.title}`;
  await addCredit(tx, { account: accountId, amountMicros, reason, reference }, actorOf(provider));
}

async function reverse(
  tx: Tx,
  { provider, tellBalances }: SettleDeps,
  { of, reference, state, what, minor }: ReversalEvent,
): Promise<void> {
  const known = await findReversal(tx, reference);
  if (known?.state === 'returned' || known?.state === state) return;
  const amountMicros = known?.amountMicros ?? partOf(of, minor);
  await writeReversal(tx, { reference, paymentId: of.paymentId, amountMicros, state });
  // Read again: the payment may have been credited just now.
  const [locked] = await lockBalances(tx, [of.accountId]);
  if (!locked || locked.isErased || amountMicros === 0n) return;
  const by = actorOf(provider);
  const reason = `${what} of a payment by ${provider.title}`;
  if (state === 'taken')
    await takeBack(tx, locked, { amountMicros, reason, reference }, { by, tellBalances });
  // It was returned before it was heard of: nothing was taken.
  else if (known)
    await addCredit(
      tx,
      {
        ...{ account: of.accountId, amountMicros, reference: `${reference} returned` },
        reason: `${what} that was returned`,
      },
      by,
    );
}

/** Of what was credited, as much as went back of what was charged, which is more by taxes. */
function partOf({ amountMicros, chargedMinor }: PaidEvent, minor: number): bigint {
  return chargedMinor === 0 ? 0n : (amountMicros * BigInt(minor)) / BigInt(chargedMinor);
}

function actorOf({ title }: Pick<PaymentProvider, 'title'>): Actor {
  return { personId: null, name: title };
}
