import Stripe from 'stripe';
import type { CardCharger, Charge, NewCardPage, Refusal } from '../payment-provider.ts';
import { asking, isMissing } from './asking.ts';
import { minorOf } from './minor-units.ts';

/** The search for a charge begins this much before its creation, because clocks differ. */
const overlapMs = 60 * 60_000;

/** Charges cards while their owners are away (off session): https://docs.stripe.com/payments/save-and-reuse. */
export function createStripeCards(stripe: Stripe): CardCharger {
  return {
    assertAmount: (micros, currency) => void minorOf(micros, currency),
    openPage: (page) => asking(() => openPage(stripe, page)),
    charge: (charge) => asking(() => chargeOnce(stripe, charge)),
    wasCharged: ({ customer, paymentId, createdAt }) =>
      asking(async () => {
        const created = { gte: Math.floor((createdAt - overlapMs) / 1000) };
        for await (const { metadata, status } of stripe.paymentIntents.list({
          ...{ customer, created, limit: 100 },
        }))
          if (metadata.darkroom_payment === paymentId)
            return status === 'succeeded' || status === 'processing';
        return false;
      }),
    forget: (card) => asking(async () => void (await stripe.paymentMethods.detach(card))),
  };
}

async function openPage(stripe: Stripe, page: NewCardPage): Promise<{ url: string; customer: string }> {
  const customer = page.customer ?? (await createCustomer(stripe, page.accountId, null));
  try {
    return { url: await openSetup(stripe, page, customer), customer };
  } catch (error) {
    if (page.customer === null || !isMissing(error)) throw error;
    // The customer was deleted, or belongs to another Stripe account.
    const fresh = await createCustomer(stripe, page.accountId, page.customer);
    return { url: await openSetup(stripe, page, fresh), customer: fresh };
  }
}

/** Creates one customer per account, even for two concurrent requests. */
async function createCustomer(stripe: Stripe, accountId: string, insteadOf: string | null): Promise<string> {
  const idempotencyKey = `customer ${accountId} ${insteadOf ?? ''}`;
  const { id } = await stripe.customers.create(
    { metadata: { darkroom_account: accountId } },
    { idempotencyKey },
  );
  return id;
}

async function openSetup(
  stripe: Stripe,
  { accountId, savedUrl, cancelledUrl }: NewCardPage,
  customer: string,
): Promise<string> {
  const { url } = await stripe.checkout.sessions.create({
    ...{ mode: 'setup', customer, payment_method_types: ['card'] },
    ...{ success_url: savedUrl, cancel_url: cancelledUrl },
    metadata: { darkroom_account: accountId, darkroom_card: 'yes' },
  });
  if (url === null) throw new Error('Stripe made no page');
  return url;
}

/** Charges once: for at least a day, Stripe answers a repeated idempotency key with its first answer. */
async function chargeOnce(stripe: Stripe, charge: Charge): Promise<'asked' | Refusal> {
  const { paymentId, accountId, amountMicros, currency, customer, card } = charge;
  const params: Stripe.PaymentIntentCreateParams = {
    ...{ amount: minorOf(amountMicros, currency), currency: currency.toLowerCase() },
    ...{ customer, payment_method: card, payment_method_types: ['card'] },
    ...{ off_session: true, confirm: true, description: 'Credit' },
    metadata: {
      ...{ darkroom_payment: paymentId, darkroom_account: accountId },
      ...{ darkroom_micros: String(amountMicros), darkroom_automatic: 'yes' },
    },
  };
  try {
    const { status } = await stripe.paymentIntents.create(params, { idempotencyKey: paymentId });
    if (status === 'succeeded' || status === 'processing') return 'asked';
    return status === 'requires_action' ? 'authentication_required' : 'declined';
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** Returns undefined if the card may have been charged or may be charged later. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Stripe.errors.StripeCardError) return refusalOfCode(error.code);
  if (isMissing(error)) return 'card_removed';
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return undefined;
  // A detached card cannot be used again. Only Stripe's message says that it is detached.
  return error.param === 'payment_method' || /detached|PaymentMethod/.test(error.message)
    ? 'card_removed'
    : 'declined';
}

export function refusalOfCode(code: string | undefined): Refusal {
  return code === 'authentication_required' ? 'authentication_required' : 'declined';
}
