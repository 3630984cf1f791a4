import Type, { type Static } from 'typebox';
import type { Payment } from '../../../../accounts/payments/payment-store.ts';
import { amount, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';

export const paymentSchema = Type.Object(
  {
    payment_id: Type.String({ format: 'uuid' }),
    status: Type.Enum(['open', 'paid', 'failed', 'unclaimed'], {
      description:
        '`open` until it is paid; `failed` where it was not, or not in time; `unclaimed` where the account was erased meanwhile.',
    }),
    amount: amount('What is credited, without taxes.'),
    provider: Type.String({ examples: ['stripe'] }),
    reference: nullable(
      Type.String({ description: 'What the provider calls it, and the ledger; null before it was paid.' }),
    ),
    created_at: time('When its page was opened.'),
    paid_at: nullable(time('When it was credited.')),
  },
  { $id: 'Payment' },
);

export function presentPayment(payment: Payment): Static<typeof paymentSchema> {
  return {
    payment_id: payment.id,
    status: payment.state,
    amount: formatMicros(payment.amountMicros),
    provider: payment.provider,
    reference: payment.reference,
    created_at: toIso(payment.createdAt),
    paid_at: toIsoOrNull(payment.paidAt),
  };
}
