import type { Actor } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { findEntryByReference } from '../../money/ledger/entry-page-store.ts';
import { type LockedAccount, lockBalances } from '../../money/ledger/ledger-store.ts';
import { addCredit, type Moved } from '../credit-account.ts';
import { returnedReference } from '../references.ts';
import { takeBack } from '../take-back.ts';
import type { TellBalances } from '../tell-balances.ts';
import type {
  CardEvent,
  CardGoneEvent,
  FailedEvent,
  PaidEvent,
  PaymentEvent,
  PaymentProvider,
  ReversalEvent,
} from './payment-provider.ts';
import {
  findPayment,
  findStanding,
  insertPaymentIfNew,
  markFailed,
  markPaid,
  writeReversal,
  writeReversed,
} from './payment-store.ts';
import { dropCard, keepCard, stopTopUp, type TellTopUp } from './top-ups/card-events.ts';

export interface SettleDeps {
  database: Database;
  provider: Pick<PaymentProvider, 'name' | 'title'>;
  tellBalances: TellBalances;
  tellPayment: TellPayment;
  tellTopUp: TellTopUp;
}

/** Notifies the account of the credit. This function is passed in, because this folder cannot import `alerts`. */
export type TellPayment = (
  tx: Tx,
  paid: Pick<PaidEvent, 'paymentId' | 'amountMicros' | 'reference' | 'receiptUrl'> & {
    after: Moved;
    debtPaidMicros: bigint;
  },
) => Promise<void>;

/** Applies an event once, even if it is repeated or out of order. An operator must refund an `unclaimed` payment. */
export async function settlePayment(deps: SettleDeps, event: PaymentEvent): Promise<'settled' | 'unclaimed'> {
  const { database } = deps;
  return database.transaction(async (tx) => {
    if (!('of' in event) && event.kind !== 'paid') {
      await settleUnpaid(tx, deps, event);
      return 'settled';
    }
    const paid = event.kind === 'paid' ? event : event.of;
    const [locked] = await lockBalances(tx, [paid.accountId]);
    // The payment belongs to another installation that uses the same account at the provider.
    if (!locked) return 'settled';
    const isNew = await credit(tx, deps, paid, locked);
    if (event.kind === 'reversal') await reverse(tx, deps, event);
    return isNew && locked.isErased ? 'unclaimed' : 'settled';
  });
}

async function settleUnpaid(
  tx: Tx,
  { provider, tellTopUp }: SettleDeps,
  event: FailedEvent | CardEvent | CardGoneEvent,
): Promise<void> {
  const by = providerActor(provider);
  if (event.kind === 'card') return keepCard(tx, event, by);
  if (event.kind === 'card_gone') return dropCard(tx, event, { tellTopUp, by });
  const { paymentId, refusal: reason } = event;
  const charged = reason && (await findPayment(tx, paymentId));
  // Locks the account first, as a charge does, to avoid a deadlock.
  if (charged) await lockBalances(tx, [charged.accountId]);
  const isNew = await markFailed(tx, paymentId);
  if (charged && isNew) await stopTopUp(tx, { tellTopUp, by }, { accountId: charged.accountId, reason });
}

async function credit(
  tx: Tx,
  { provider, tellPayment, tellBalances }: SettleDeps,
  { paymentId, accountId, amountMicros, receiptUrl, ...charge }: PaidEvent,
  { isErased, debtMicros }: LockedAccount,
): Promise<boolean> {
  await insertPaymentIfNew(tx, { id: paymentId, accountId, amountMicros, provider: provider.name });
  const isNew = await markPaid(tx, paymentId, { state: isErased ? 'unclaimed' : 'paid', ...charge });
  if (!isNew || isErased) return isNew;
  const { reference } = charge;
  // An operator may have credited the payment by hand.
  if (await findEntryByReference(tx, accountId, reference)) return isNew;
  const reason = `Payment by ${provider.title}`;
  const after = await addCredit(
    tx,
    { account: accountId, amountMicros, reason, reference },
    { by: providerActor(provider), tellBalances },
  );
  const debtPaidMicros = debtMicros - after.debtMicros;
  const receipt = receiptUrl === undefined ? {} : { receiptUrl };
  await tellPayment(tx, { paymentId, amountMicros, reference, after, debtPaidMicros, ...receipt });
  return isNew;
}

/** Debits a payment's reversals from the account, but never more than the payment: refunds and disputes can overlap. */
async function reverse(
  tx: Tx,
  { provider, tellBalances, tellTopUp }: SettleDeps,
  { of, ...said }: ReversalEvent,
): Promise<void> {
  const { accountId, paymentId } = of;
  const turn = await writeReversal(tx, { ...said, paymentId });
  if (turn === undefined) return;
  const standing = await findStanding(tx, paymentId);
  // Reads the balance again, because `credit` may have changed it.
  const [locked] = await lockBalances(tx, [accountId]);
  if (!standing || !locked || locked.isErased) return;
  const reversedMicros = partOf(of, standing.takenMinor);
  const moreMicros = reversedMicros - standing.reversedMicros;
  await writeReversed(tx, paymentId, reversedMicros);
  const by = providerActor(provider);
  if (said.what === 'dispute' && said.state === 'taken' && !said.isOver)
    await stopTopUp(tx, { tellTopUp, by }, { accountId, reason: 'disputed' });
  const { reference, reason } = entryOf(said, turn);
  if (moreMicros > 0n && !(await findEntryByReference(tx, accountId, reference))) {
    const credited = await findEntryByReference(tx, accountId, of.reference);
    const taken = { amountMicros: moreMicros, reference, corrects: credited?.id ?? null };
    const named = { ...taken, reason: `${reason} of a payment by ${provider.title}` };
    await takeBack(tx, locked, named, { by, tellBalances });
  }
  if (moreMicros < 0n) {
    // The rest may return later, with the same number, so a part has a reference of its own.
    const isPart = said.state === 'taken';
    const returned = {
      reference: `${returnedReference}${isPart ? 'part of ' : ''}${reference}`,
      reason: `${reason} that was returned${isPart ? ' in part' : ''}`,
    };
    await addCredit(tx, { account: accountId, amountMicros: -moreMicros, ...returned }, { by, tellBalances });
  }
}

const words = { refund: 'Refund', dispute: 'Dispute' };

/** The reason and reference of a ledger entry. Money that is taken later gets another reference. */
function entryOf({ what, reference }: Pick<ReversalEvent, 'what' | 'reference'>, turn: number) {
  const again = Math.ceil(turn / 2);
  return { reason: words[what], reference: again === 1 ? reference : `${reference} (${again})` };
}

/** The part of the credit that was reversed. It is proportional, because a charge with taxes exceeds the credit. */
function partOf({ amountMicros, chargedMinor }: PaidEvent, minor: bigint): bigint {
  const charged = BigInt(chargedMinor);
  return minor >= charged ? amountMicros : (amountMicros * minor) / charged;
}

function providerActor({ title }: Pick<PaymentProvider, 'title'>): Actor {
  return { personId: null, kind: 'payment_provider', name: title };
}
