import type Stripe from 'stripe';
import { isUuid } from '../../../base/std/ids.ts';
import { maxMicros } from '../../../money/ledger/money.ts';
import type { PaidEvent, PaymentEvent, ReversalEvent } from '../payment-provider.ts';

/** Events that Stripe has to send, and that are listed. */
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
] as const satisfies Stripe.Event['type'][];

/** The payment of a PaymentIntent; undefined where it was not made here. */
export type FindPaid = (paymentIntent: string) => Promise<PaidEvent | undefined>;

/** The credit of those who paid; nothing where it is not known, or was told before. */
export type FindReceipt = (
  paid: PaidEvent,
  session: Stripe.Checkout.Session,
) => Promise<Pick<PaidEvent, 'receiptUrl'>>;

/** Reads what an event says; empty where it is of no concern, such as payments that were not made here. */
export async function readEvent(
  event: Stripe.Event,
  { findPaid, findReceipt }: { findPaid: FindPaid; findReceipt: FindReceipt },
): Promise<PaymentEvent[]> {
  const saidAt = event.created * 1000;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const paid = paidOf(event.data.object);
      return paid ? [{ ...paid, ...(await findReceipt(paid, event.data.object)) }] : [];
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
      // Nothing is taken while a bank only asks.
      if (status.startsWith('warning_') || status === 'prevented') return [];
      return reversalOf({ ...dispute, saidAt, what: 'dispute', isReturned: status === 'won' }, findPaid);
    }
    default:
      return [];
  }
}

/** Undefined for a session that is not paid yet, and for those of other shops of the same Stripe account. */
export function paidOf({
  metadata,
  payment_status,
  payment_intent,
  amount_total,
}: Stripe.Checkout.Session): PaidEvent | undefined {
  const { darkroom_payment = '', darkroom_account = '', darkroom_micros = '' } = metadata ?? {};
  const isOurs = isUuid(darkroom_payment) && isUuid(darkroom_account) && /^\d{1,16}$/.test(darkroom_micros);
  if (payment_status !== 'paid' || !isOurs || payment_intent === null || amount_total === null)
    return undefined;
  const amountMicros = BigInt(darkroom_micros);
  if (amountMicros === 0n || amountMicros > maxMicros) return undefined;
  return {
    ...{ kind: 'paid', paymentId: darkroom_payment, accountId: darkroom_account, amountMicros },
    ...{ reference: idOf(payment_intent), chargedMinor: amount_total },
  };
}

interface Reversal extends Pick<ReversalEvent, 'saidAt' | 'what'> {
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
