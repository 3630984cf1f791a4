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
        '`open` until it is paid; `failed` if it was refused or too late; `unclaimed` if the account was erased in the meantime.',
    }),
    amount: amount('The credited amount, without taxes.'),
    provider: Type.String({ examples: ['stripe'] }),
    reference: nullable(
      Type.String({
        description: "The provider's id of the payment, which is also in the ledger; null until it is paid.",
      }),
    ),
    reversed: amount('The part that went back to the payer through refunds and disputes.'),
    reversals: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['refund', 'dispute']),
          reference: Type.String({ description: "The provider's id, which is also in the ledger." }),
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
    account_id: Type.String({ format: 'uuid', description: 'The account that gets the credit.' }),
    account: Type.String({ description: 'The name of the account.' }),
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
