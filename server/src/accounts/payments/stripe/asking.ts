import Stripe from 'stripe';
import { paymentsUnavailable } from '../payment-provider.ts';

/** @throws AppError `payments_unavailable` if Stripe does not answer or refuses */
export async function asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    throw cause instanceof Stripe.errors.StripeError ? paymentsUnavailable(cause) : cause;
  }
}

export function isForbidden(error: unknown): boolean {
  return error instanceof Stripe.errors.StripePermissionError;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
}
