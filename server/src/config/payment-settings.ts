import type { PaymentSettings } from '../accounts/payments/open-payments.ts';
import { takesPayments } from '../accounts/payments/payment-keys.ts';
import { SettingError } from '../errors.ts';
import { parseMicros } from '../money/ledger/money.ts';
import type { ConfigFile } from './config-file.ts';

const usual = { amounts: ['10', '25', '50', '100'], least: '5', most: '1000' };

/** @throws SettingError */
export function readPayments(
  {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: apiUrl,
  }: Record<string, string | undefined>,
  { payments: { taxes = false, invoices = false, ...given } = {}, currency = 'USD' }: ConfigFile,
): PaymentSettings {
  if (!secretKey !== !webhookSecret)
    throw new SettingError(
      'Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET both, or neither: one charges, the other verifies events.',
    );
  if (secretKey && !takesPayments(currency))
    throw new SettingError(
      `STRIPE_SECRET_KEY: Stripe takes no payments in "${currency}". Set \`currency\` to a code such as "USD".`,
    );
  const { amounts, least, most } = { ...usual, ...given };
  return {
    keys: secretKey && webhookSecret ? { secretKey, webhookSecret } : null,
    stripe: { apiUrl: apiUrl || null, taxes, invoices },
    amountsMicros: amounts.map(micros),
    ...{ leastMicros: micros(least), mostMicros: micros(most) },
  };
}

function micros(text: string): bigint {
  return parseMicros(text) ?? 0n;
}
