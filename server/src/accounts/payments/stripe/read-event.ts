import type Stripe from 'stripe';
import { isUuid } from '../../../base/std/ids.ts';
import { maxMicros } from '../../../money/ledger/money.ts';
import type { PaidEvent, PaymentEvent, ReversalEvent } from '../payment-provider.ts';
import { refusalOfCode } from './stripe-cards.ts';

/** The event types that Stripe's webhook must be set up to send. We also list such events with Stripe's API. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_method.detached',
] as const satisfies Stripe.Event['type'][];

/** Finds a payment; undefined if this installation did not make it. */
export type FindPaid = (paymentIntent: string) => Promise<PaidEvent | undefined>;

/** Finds a receipt or invoice. Returns an empty object if it is unknown or was sent before. */
export type FindReceipt = (
  paid: PaidEvent,
  invoice: Stripe.Checkout.Session['invoice'],
) => Promise<Pick<PaidEvent, 'receiptUrl'>>;

export type FindCard = (setupIntent: string) => Promise<Stripe.PaymentMethod | undefined>;

export interface Finders {
  findPaid: FindPaid;
  findReceipt: FindReceipt;
  findCard: FindCard;
  hasAccount(accountId: string): Promise<boolean>;
}

/** Converts a Stripe event. Requests receipts and cards only for this installation's accounts. */
export async function readEvent(
  event: Stripe.Event,
  { findPaid, findReceipt, findCard, hasAccount }: Finders,
): Promise<PaymentEvent[]> {
  const saidAt = event.created * 1000;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = event.data.object;
      if (session.mode === 'setup') return cardOf(session, saidAt, { findCard, hasAccount });
      const paid = paidOf(session);
      return paid && (await hasAccount(paid.accountId))
        ? [{ ...paid, ...(await findReceipt(paid, session.invoice)) }]
        : [];
    }
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      const paymentId = event.data.object.metadata?.darkroom_payment ?? '';
      return isUuid(paymentId) ? [{ kind: 'failed', paymentId }] : [];
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const { status, ...refund } = event.data.object;
      const isReturned = status === 'failed' || status === 'canceled';
      return reversalOf({ ...refund, saidAt, what: 'refund', isReturned }, findPaid);
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const { status, ...dispute } = event.data.object;
      // A bank's inquiry moves no money.
      if (status.startsWith('warning_') || status === 'prevented') return [];
      return reversalOf(
        { ...dispute, saidAt, what: 'dispute', isReturned: status === 'won', isOver: status === 'lost' },
        findPaid,
      );
    }
    case 'payment_intent.succeeded': {
      const paid = paidByCard(event.data.object);
      return paid && (await hasAccount(paid.accountId))
        ? [{ ...paid, ...(await findReceipt(paid, null)) }]
        : [];
    }
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const { metadata, last_payment_error: error } = event.data.object;
      const { darkroom_payment: paymentId = '', darkroom_automatic } = metadata;
      if (!isUuid(paymentId) || darkroom_automatic === undefined) return [];
      return [{ kind: 'failed', paymentId, refusal: refusalOfCode(error?.code) }];
    }
    case 'payment_method.detached':
      return [{ kind: 'card_gone', card: event.data.object.id }];
    default:
      return [];
  }
}

/** Reads a payment; undefined if the session is unpaid or belongs to another shop on the same Stripe account. */
export function paidOf({
  metadata,
  payment_status,
  payment_intent,
  amount_total,
}: Stripe.Checkout.Session): PaidEvent | undefined {
  const ours = paymentOf(metadata);
  if (payment_status !== 'paid' || !ours || payment_intent === null || amount_total === null)
    return undefined;
  return { kind: 'paid', ...ours, reference: idOf(payment_intent), chargedMinor: amount_total };
}

/** Reads a charge of a saved card. Undefined until it succeeds, and on checkout pages, whose sessions report it. */
export function paidByCard({
  id,
  status,
  metadata,
  amount_received,
}: Stripe.PaymentIntent): PaidEvent | undefined {
  const ours = metadata.darkroom_automatic === undefined ? undefined : paymentOf(metadata);
  if (status !== 'succeeded' || !ours) return undefined;
  return { kind: 'paid', ...ours, reference: id, chargedMinor: amount_received };
}

function paymentOf(
  metadata: Stripe.Metadata | null,
): Pick<PaidEvent, 'paymentId' | 'accountId' | 'amountMicros'> | undefined {
  const {
    darkroom_payment: paymentId = '',
    darkroom_account: accountId = '',
    darkroom_micros = '',
  } = metadata ?? {};
  if (!isUuid(paymentId) || !isUuid(accountId) || !/^\d{1,16}$/.test(darkroom_micros)) return undefined;
  const amountMicros = BigInt(darkroom_micros);
  return amountMicros === 0n || amountMicros > maxMicros ? undefined : { paymentId, accountId, amountMicros };
}

async function cardOf(
  { metadata, setup_intent, customer }: Stripe.Checkout.Session,
  savedAt: number,
  { findCard, hasAccount }: Pick<Finders, 'findCard' | 'hasAccount'>,
): Promise<PaymentEvent[]> {
  const { darkroom_account: accountId = '', darkroom_card } = metadata ?? {};
  if (!isUuid(accountId) || darkroom_card === undefined || !setup_intent || !customer) return [];
  if (!(await hasAccount(accountId))) return [];
  const method = await findCard(idOf(setup_intent));
  if (!method?.card) return [];
  const { brand, last4, exp_year, exp_month } = method.card;
  const ends = `${exp_year}-${String(exp_month).padStart(2, '0')}`;
  const card = { id: method.id, brand, last4, ends };
  return [{ kind: 'card', savedAt, accountId, customer: idOf(customer), card }];
}

interface Reversal extends Pick<ReversalEvent, 'saidAt' | 'what' | 'isOver'> {
  id: string;
  amount: number;
  payment_intent: string | Stripe.PaymentIntent | null;
  isReturned: boolean;
}

async function reversalOf(
  { id, amount, payment_intent, isReturned, ...said }: Reversal,
  findPaid: FindPaid,
): Promise<PaymentEvent[]> {
  const of = payment_intent === null ? undefined : await findPaid(idOf(payment_intent));
  if (!of) return [];
  const state = isReturned ? 'returned' : 'taken';
  return [{ kind: 'reversal', ...said, state, reference: id, minor: amount, of }];
}

export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
