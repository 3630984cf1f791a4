import Stripe from 'stripe';
import { AppError } from '../../../errors.ts';
import {
  type NewCheckout,
  type PaidEvent,
  type PaymentProvider,
  paymentsUnavailable,
} from '../payment-provider.ts';
import { asking, isMissing } from './asking.ts';
import { hasKnownForm } from './event-forms.ts';
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

const usualPatience = { timeout: 20_000, maxNetworkRetries: 2 };
// A payment is credited without it as well.
const receiptOptions = { timeout: 5_000, maxNetworkRetries: 0 };
const mostForeign = 10_000;

/** The books of this installation: others, and shops, may use the same Stripe account. */
export interface Books {
  /** A payment that is kept already, by what Stripe calls it. */
  findPaid: FindPaid;
  hasAccount(accountId: string): Promise<boolean>;
}

export function createStripe(settings: StripeSettings, books: Books): PaymentProvider {
  const stripe = openStripe(settings);
  // Payments of others, each of whose refunds may be said several times.
  const foreign = new Set<string>();
  const findPaid: FindPaid = async (reference) => {
    const known = await books.findPaid(reference);
    if (known || foreign.has(reference)) return known;
    const { data } = await stripe.checkout.sessions.list({ payment_intent: reference, limit: 1 });
    const paid = data[0] ? paidOf(data[0]) : await findCharged(stripe, reference);
    if (paid && (await books.hasAccount(paid.accountId))) return paid;
    // Only paid payments are refunded or disputed: one that no checkout session paid for is not ours.
    if (foreign.size < mostForeign) foreign.add(reference);
    return undefined;
  };
  const findReceipt: FindReceipt = async ({ reference }, invoice) =>
    // No receipt for a payment that is already credited: it was sent with the credit.
    (await books.findPaid(reference)) ? {} : receiptOf(stripe, reference, invoice).catch(() => ({}));
  const findCard: FindCard = async (setupIntent) => {
    const { payment_method: card } = await stripe.setupIntents.retrieve(setupIntent, {
      expand: ['payment_method'],
    });
    return typeof card === 'object' && card !== null ? card : undefined;
  };
  const finders = { findPaid, findReceipt, findCard, hasAccount: books.hasAccount };
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
      if (!hasKnownForm(event)) throw unknownForm();
      return asking(() => readEvent(event, finders));
    },
    async *listSince(sinceMs) {
      const query = { created: { gte: Math.floor(sinceMs / 1000) }, types: [...eventTypes], limit: 100 };
      const pages = stripe.events.list(query)[Symbol.asyncIterator]();
      for (;;) {
        const { value: event, done } = await asking(() => pages.next());
        if (done) return;
        if (hasKnownForm(event)) yield* await asking(() => readEvent(event, finders));
        else yield { kind: 'unread', name: `${event.type} ${event.id}` };
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

function unknownForm(): AppError {
  return new AppError(
    'invalid_request',
    'This event of Stripe has a form that is not read here. Set the version of its endpoint in Stripe to the default of the account.',
  );
}

/** A charge of ours that was made without a page, of which nothing was heard yet. */
async function findCharged(stripe: Stripe, paymentIntent: string): Promise<PaidEvent | undefined> {
  try {
    return paidByCard(await stripe.paymentIntents.retrieve(paymentIntent));
  } catch (error) {
    // A restricted key that may not read it has made none.
    if (error instanceof Stripe.errors.StripePermissionError || isMissing(error)) return undefined;
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
