import Stripe from 'stripe';
import type { Log } from '../../../base/std/log.ts';
import { AppError } from '../../../errors.ts';
import {
  type NewCheckout,
  type PaidEvent,
  type PaymentEvent,
  type PaymentProvider,
  paymentsUnavailable,
} from '../payment-provider.ts';
import { asking, isForbidden, isMissing } from './asking.ts';
import { hasKnownForm, isForeign } from './event-forms.ts';
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

export interface StripeKeys {
  secretKey: string;
  /** The secret of the endpoint in Stripe that sends events to `/payments/stripe`. */
  webhookSecret: string;
}

export interface StripeSettings extends StripeKeys {
  /** Replaces Stripe's URL, for emulators. */
  apiUrl: string | null;
  /** Whether Stripe Tax adds taxes to the amount. */
  taxes: boolean;
  /** Whether Stripe creates an invoice in addition to its receipt. */
  invoices: boolean;
}

const usualPatience = { timeout: 20_000, maxNetworkRetries: 2 };
// This time-out is short, because a payment is credited even without its receipt.
const receiptOptions = { timeout: 5_000, maxNetworkRetries: 0 };
const mostForeign = 10_000;

/** Finds what belongs to this installation, because other installations and shops may use the same Stripe account. */
export interface Books {
  findPaid: FindPaid;
  hasAccount(accountId: string): Promise<boolean>;
}

export function createStripe(settings: StripeSettings, books: Books, log: Log): PaymentProvider {
  const stripe = openStripe(settings);
  // Payments of other shops. Later reports of their refunds need no request to Stripe.
  const foreign = new Set<string>();
  const findPaid: FindPaid = async (reference) => {
    const known = await books.findPaid(reference);
    if (known || foreign.has(reference)) return known;
    const { data } = await stripe.checkout.sessions.list({ payment_intent: reference, limit: 1 });
    const paid = data[0] ? paidOf(data[0]) : await findCharged(stripe, reference);
    if (paid && (await books.hasAccount(paid.accountId))) return paid;
    // The answer is final, because only completed payments are refunded or disputed.
    if (foreign.size < mostForeign) foreign.add(reference);
    return undefined;
  };
  const findReceipt: FindReceipt = async ({ reference }, invoice) =>
    // A payment that is already credited needs no receipt: it was sent with the credit.
    (await books.findPaid(reference)) ? {} : receiptOf(stripe, reference, invoice).catch(() => ({}));
  const findCard: FindCard = (setupIntent) =>
    savedCardOf(stripe, setupIntent).catch((error: unknown) => {
      if (!isForbidden(error) && !isMissing(error)) throw error;
      // The event is not read again, because another request would be refused too.
      log.error('payment.card_unread', { provider: 'stripe', setupIntent, reason: String(error) });
      return undefined;
    });
  const finders = { findPaid, findReceipt, findCard, hasAccount: books.hasAccount };
  const read = async (event: Stripe.Event): Promise<PaymentEvent[]> => {
    if (hasKnownForm(event)) return readEvent(event, finders);
    if (await isForeign(event, finders)) return [];
    throw unknownForm();
  };
  return {
    ...{ name: 'stripe', title: 'Stripe' },
    // No saved cards with Stripe Tax, because it adds taxes only on checkout pages, not to charges of saved cards.
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
      return asking(() => read(event));
    },
    async *listSince(sinceMs) {
      const query = { created: { gte: Math.floor(sinceMs / 1000) }, types: [...eventTypes], limit: 100 };
      const pages = stripe.events.list(query)[Symbol.asyncIterator]();
      for (;;) {
        const { value: event, done } = await asking(() => pages.next());
        if (done) return;
        yield* await read(event).catch((error: unknown) => [
          { kind: 'unread' as const, name: `${event.type} ${event.id}`, reason: String(error) },
        ]);
      }
    },
  };
}

export function openStripe(
  { secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>,
  patience: Pick<Stripe.StripeConfig, 'timeout' | 'maxNetworkRetries'> = usualPatience,
): Stripe {
  return new Stripe(secretKey, {
    ...{ ...patience, telemetry: false, typescript: true },
    ...addressOf(apiUrl),
  });
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
      'This is not signed by Stripe with the signing secret set here, or the signature is more than five minutes old.',
      {},
      { cause },
    );
  }
}

function unknownForm(): AppError {
  return new AppError(
    'invalid_request',
    "This Stripe event has an unknown form. In Stripe, set the API version of the endpoint to the account's default.",
  );
}

/** Finds a charge of a saved card if the event about the charge has not arrived yet. */
async function findCharged(stripe: Stripe, paymentIntent: string): Promise<PaidEvent | undefined> {
  try {
    return paidByCard(await stripe.paymentIntents.retrieve(paymentIntent));
  } catch (error) {
    // A key without permission to read charges has made no charges.
    if (isForbidden(error) || isMissing(error)) return undefined;
    throw error;
  }
}

async function savedCardOf(stripe: Stripe, setupIntent: string): Promise<Stripe.PaymentMethod | undefined> {
  const expanded = { expand: ['payment_method'] };
  const { payment_method: card } = await stripe.setupIntents.retrieve(setupIntent, expanded);
  return typeof card === 'object' && card !== null ? card : undefined;
}

async function receiptOf(
  stripe: Stripe,
  paymentIntent: string,
  invoice: Stripe.Checkout.Session['invoice'],
): Promise<Pick<PaidEvent, 'receiptUrl'>> {
  if (invoice) {
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
