import Stripe from 'stripe';
import { orAborted } from '../../../base/std/or-aborted.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { isForbidden, isMissing } from './asking.ts';
import { openStripe, type StripeSettings } from './stripe.ts';

/** The time limit of all checks, because an operator is waiting at the form. */
const withinMs = 10_000;

/** The permissions that payments need, by Stripe's names. Each is tried with a call that leaves nothing behind. */
const permissions: Record<string, (stripe: Stripe) => Promise<unknown>> = {
  // Stripe checks the permission before it finds that the session does not exist.
  'write Checkout Sessions': (stripe) => stripe.checkout.sessions.expire('cs_none').catch(orMissing),
  'read Events': (stripe) => stripe.events.list({ limit: 1 }),
};

const ofTopUps: typeof permissions = {
  'write Customers': (stripe) => stripe.customers.update('cus_none').catch(orMissing),
  'write PaymentIntents': (stripe) => stripe.paymentIntents.cancel('pi_none').catch(orMissing),
  'write PaymentMethods': (stripe) => stripe.paymentMethods.detach('pm_none').catch(orMissing),
  'read SetupIntents': (stripe) => stripe.setupIntents.retrieve('seti_none').catch(orMissing),
};

export interface Lacking {
  forPayments: string[];
  forTopUps: string[];
}

/**
 * Tries a key, and changes nothing. If cards cannot be charged, any failed top-up call counts as a lacking permission.
 * @throws AppError `invalid_request` for a key that Stripe refuses; `payments_unavailable`
 */
export async function tryStripe(
  settings: Pick<StripeSettings, 'secretKey' | 'apiUrl'>,
  { chargesCards }: { chargesCards: boolean },
): Promise<Lacking> {
  const within = AbortSignal.timeout(withinMs);
  const stripe = openStripe(settings, { timeout: withinMs, maxNetworkRetries: 0 });
  const asked = [permissions, ofTopUps].map((tried) => failuresOf(stripe, tried, within));
  const [forPayments = [], forTopUps = []] = await Promise.all(asked);
  if (forPayments.some(({ failure }) => failure instanceof Stripe.errors.StripeAuthenticationError))
    throw invalidField('/secret_key', 'is not a key that Stripe knows, or it was revoked.');
  const needed = [...forPayments, ...(chargesCards ? forTopUps : [])];
  const other = needed.find(({ failure }) => !isForbidden(failure));
  if (other)
    throw untried(
      other.failure === within.reason
        ? `Stripe did not answer within ${withinMs / 1000} seconds.`
        : 'Stripe does not answer, or refuses.',
      other.failure,
    );
  const namesOf = (failures: { name: string }[]) => failures.map(({ name }) => name);
  return { forPayments: namesOf(forPayments), forTopUps: namesOf(forTopUps) };
}

async function failuresOf(
  stripe: Stripe,
  tried: typeof permissions,
  within: AbortSignal,
): Promise<{ name: string; failure: unknown }[]> {
  const asked = Object.entries(tried).map(async ([name, ask]) => ({
    name,
    failure: await failureOf(orAborted(ask(stripe), within)),
  }));
  return (await Promise.all(asked)).filter(({ failure }) => failure !== undefined);
}

async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function orMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function untried(what: string, cause: unknown): AppError {
  return new AppError('payments_unavailable', `${what} The keys are not saved. Try again.`, {}, { cause });
}
