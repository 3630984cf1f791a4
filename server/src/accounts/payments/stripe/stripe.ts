import Stripe from 'stripe';
import { AppError, invalidField } from '../../../errors.ts';
import {
  type NewCheckout,
  type PaidEvent,
  type PaymentProvider,
  paymentsUnavailable,
} from '../payment-provider.ts';
import { asking } from './asking.ts';
import { minorOf } from './minor-units.ts';
import {
  eventTypes,
  type FindCard,
  type FindPaid,
  type FindReceipt,
  idOf,
  paidByCard,
  paidOf,
  readEvent,
} from './read-event.ts';
import { createStripeCards } from './stripe-cards.ts';

/** Keys of the Stripe account that is paid. */
export interface StripeKeys {
  secretKey: string;
  /** The secret of the endpoint in Stripe that sends to `/payments/stripe`. */
  webhookSecret: string;
}

export interface StripeSettings extends StripeKeys {
  /** Instead of Stripe's own, for its emulators. */
  apiUrl: string | null;
  /** Stripe Tax adds what is due to the amount. */
  taxes: boolean;
  /** Stripe makes an invoice beside its receipt. */
  invoices: boolean;
}

const timeoutMs = 20_000;
const retries = 2;
// A payment is credited without it as well.
const receiptOptions = { timeout: 5_000, maxNetworkRetries: 0 };
const mostForeign = 10_000;

/** @param findKnown a payment that is kept already, by what Stripe calls it */
export function createStripe(settings: StripeSettings, findKnown: FindPaid): PaymentProvider {
  const stripe = openStripe(settings);
  // Of other shops of the same account, each of whose refunds may be said several times.
  const foreign = new Set<string>();
  const findPaid: FindPaid = async (reference) => {
    const known = await findKnown(reference);
    if (known || foreign.has(reference)) return known;
    const { data } = await stripe.checkout.sessions.list({ payment_intent: reference, limit: 1 });
    const paid = data[0] ? paidOf(data[0]) : await findCharged(stripe, reference);
    // Only paid payments are refunded or disputed: one that no checkout session paid for is not ours.
    if (!paid && foreign.size < mostForeign) foreign.add(reference);
    return paid;
  };
  const findReceipt: FindReceipt = async ({ reference }, invoice) =>
    // No receipt for a payment that is already credited: it was sent with the credit.
    (await findKnown(reference)) ? {} : receiptOf(stripe, reference, invoice).catch(() => ({}));
  const findCard: FindCard = async (setupIntent) => {
    const { payment_method: card } = await stripe.setupIntents.retrieve(setupIntent, {
      expand: ['payment_method'],
    });
    return typeof card === 'object' && card !== null ? card : undefined;
  };
  const finders = { findPaid, findReceipt, findCard };
  return {
    ...{ name: 'stripe', title: 'Stripe' },
    // Stripe Tax adds nothing to a charge that has no page.
    cards: settings.taxes ? null : createStripeCards(stripe),
    openCheckout: (payment) =>
      asking(async () => {
        const params = checkoutOf(settings, payment);
        const { url } = await stripe.checkout.sessions.create(params, { idempotencyKey: payment.paymentId });
        if (url === null) throw paymentsUnavailable(new Error('Stripe made no page'));
        return { url };
      }),
    async readMessage(body, headers) {
      const event = verified(stripe, settings.webhookSecret, body, headers['stripe-signature']);
      return asking(() => readEvent(event, finders));
    },
    async *listSince(sinceMs) {
      const query = { created: { gte: Math.floor(sinceMs / 1000) }, types: [...eventTypes], limit: 100 };
      const pages = stripe.events.list(query)[Symbol.asyncIterator]();
      for (;;) {
        const { value: event, done } = await asking(() => pages.next());
        if (done) return;
        yield* await asking(() => readEvent(event, finders));
      }
    },
  };
}

function openStripe({ secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>): Stripe {
  return new Stripe(secretKey, {
    ...{ timeout: timeoutMs, maxNetworkRetries: retries, telemetry: false, typescript: true },
    ...addressOf(apiUrl),
  });
}

/**
 * Asks for what payments need, changing nothing.
 *
 * @throws AppError `invalid_request` for a key that Stripe refuses; `payments_unavailable`
 */
export async function tryStripe(settings: Pick<StripeSettings, 'secretKey' | 'apiUrl'>): Promise<void> {
  const stripe = openStripe(settings);
  try {
    await stripe.checkout.sessions.list({ limit: 1 });
    await stripe.events.list({ limit: 1 });
  } catch (cause) {
    if (cause instanceof Stripe.errors.StripeAuthenticationError)
      throw invalidField('/secret_key', 'is not a key that Stripe knows, or it was revoked.');
    if (cause instanceof Stripe.errors.StripePermissionError)
      throw invalidField(
        '/secret_key',
        'may not do what payments take: write Checkout Sessions, and read events.',
      );
    throw cause instanceof Stripe.errors.StripeError ? paymentsUnavailable(cause) : cause;
  }
}

function checkoutOf(
  { taxes, invoices }: StripeSettings,
  { paymentId, accountId, amountMicros, currency, paidUrl, cancelledUrl }: NewCheckout,
): Stripe.Checkout.SessionCreateParams {
  const metadata = {
    darkroom_payment: paymentId,
    darkroom_account: accountId,
    darkroom_micros: String(amountMicros),
  };
  return {
    mode: 'payment',
    ...{ client_reference_id: paymentId, success_url: paidUrl, cancel_url: cancelledUrl, metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: minorOf(amountMicros, currency),
          product_data: { name: 'Credit' },
          ...(taxes && { tax_behavior: 'exclusive' }),
        },
      },
    ],
    payment_intent_data: { metadata },
    ...(taxes && { automatic_tax: { enabled: true } }),
    ...(invoices && { invoice_creation: { enabled: true } }),
  };
}

/** @throws AppError `invalid_request` */
function verified(
  stripe: Stripe,
  secret: string,
  body: Buffer,
  signature: string | string[] | undefined,
): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(body, signature ?? '', secret);
  } catch (cause) {
    throw new AppError(
      'invalid_request',
      'This is not signed by Stripe with the signing secret that is set here, or it was signed more than five minutes ago.',
      {},
      { cause },
    );
  }
}

/** A charge of ours that was made without a page, of which nothing was heard yet. */
async function findCharged(stripe: Stripe, paymentIntent: string): Promise<PaidEvent | undefined> {
  try {
    return paidByCard(await stripe.paymentIntents.retrieve(paymentIntent));
  } catch (error) {
    // A restricted key that may not read it has made none.
    if (error instanceof Stripe.errors.StripePermissionError) return undefined;
    throw error;
  }
}

async function receiptOf(
  stripe: Stripe,
  paymentIntent: string,
  invoice: Stripe.Checkout.Session['invoice'],
): Promise<Pick<PaidEvent, 'receiptUrl'>> {
  if (invoice !== null) {
    const { hosted_invoice_url: url } = await stripe.invoices.retrieve(idOf(invoice), {}, receiptOptions);
    if (url) return { receiptUrl: url };
  }
  const expanded = { expand: ['latest_charge'] };
  const { latest_charge } = await stripe.paymentIntents.retrieve(paymentIntent, expanded, receiptOptions);
  const url = typeof latest_charge === 'object' && latest_charge?.receipt_url;
  return url ? { receiptUrl: url } : {};
}

function addressOf(apiUrl: string | null): Stripe.StripeConfig {
  if (apiUrl === null) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port && { port }) };
}
