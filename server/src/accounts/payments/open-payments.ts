import type { Queries } from '../../base/db/schema.ts';
import type { PaidEvent, PaymentProvider } from './payment-provider.ts';
import { findPaid } from './payment-store.ts';
import type { StripeSettings } from './stripe/stripe.ts';

export interface PaymentSettings {
  stripe: StripeSettings;
  /** What people choose from. */
  amountsMicros: readonly bigint[];
  leastMicros: bigint;
  mostMicros: bigint;
}

/** A provider of payments, and what may be paid by it. */
export interface Payments extends Omit<PaymentSettings, 'stripe'> {
  provider: PaymentProvider;
}

/** Its library is loaded only where payments are taken. Null: they are not. */
export async function openPayments(
  settings: PaymentSettings | null,
  queries: Queries,
): Promise<Payments | null> {
  if (!settings) return null;
  const { stripe, ...amounts } = settings;
  const { createStripe } = await import('./stripe/stripe.ts');
  const known = (reference: string): Promise<PaidEvent | undefined> => findPaid(queries, reference);
  return { provider: createStripe(stripe, known), ...amounts };
}
