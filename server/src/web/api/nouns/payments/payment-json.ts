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
    reversed: amount('What went back of it to who paid, by refunds and disputes.'),
    reversals: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['refund', 'dispute']),
          reference: Type.String({ description: 'What the provider calls it, and the ledger.' }),
          status: Type.Enum(['taken', 'returned'], {
            description: '`returned`: the refund failed, or the dispute was won.',
          }),
        },
        { title: 'Reversal' },
      ),
    ),
    created_at: time('When its page was opened.'),
    paid_at: nullable(time('When it was credited.')),
  },
  { $id: 'Payment' },
);

export const accountPaymentSchema = Type.Object(
  {
    account_id: Type.String({ format: 'uuid', description: 'Whose balance it is for.' }),
    account: Type.String({ description: 'Its name.' }),
    ...paymentSchema.properties,
  },
  { title: 'AccountPayment' },
);

export function presentPayment(payment: Payment): Static<typeof paymentSchema> {
  return {
    payment_id: payment.id,
    status: payment.state,
    amount: formatMicros(payment.amountMicros),
    provider: payment.provider,
    reference: payment.reference,
    reversed: formatMicros(payment.reversedMicros),
    reversals: payment.reversals.map(({ state, ...reversal }) => ({ ...reversal, status: state })),
    created_at: toIso(payment.createdAt),
    paid_at: toIsoOrNull(payment.paidAt),
  };
}
