import Type, { type Static } from 'typebox';
import type { Payments } from '../../../../accounts/payments/open-payments.ts';
import { refusals } from '../../../../accounts/payments/payment-provider.ts';
import type { TopUp } from '../../../../accounts/payments/top-ups/top-up-store.ts';
import { amount, amountGiven, closed, nullable, nullableOneOf } from '../../../../base/http/schemas.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';

const settings = {
  threshold: amountGiven('The card is charged when the available balance falls below this.'),
  amount: amountGiven('The amount of one charge, which is credited.'),
  month_most: amountGiven('The most that is charged per month (UTC).'),
};

export const topUpRequest = closed(settings, { title: 'TopUpSettings' });

export const topUpSchema = Type.Object(
  {
    offered: Type.Boolean({ description: 'The installation charges cards.' }),
    status: Type.Enum(['off', 'on', 'stopped'], {
      description: '`stopped`: until an owner turns it on again, because of `stopped_by`.',
    }),
    stopped_by: nullableOneOf(refusals),
    card: nullable(
      Type.Object(
        {
          brand: Type.String({ examples: ['visa'] }),
          last4: Type.String({ examples: ['4242'] }),
          ends: Type.String({ description: 'Its last month.', examples: ['2029-08'] }),
        },
        { title: 'Card' },
      ),
    ),
    threshold: nullable(settings.threshold),
    amount: nullable(settings.amount),
    month_most: nullable(settings.month_most),
    month_used: amount('The amount charged this month, including charges in progress.'),
  },
  { $id: 'TopUp' },
);

export function presentTopUp(
  topUp: TopUp,
  { payments, usedMicros }: { payments: Payments | null; usedMicros: bigint },
): Static<typeof topUpSchema> {
  const { card } = topUp;
  return {
    ...{ offered: payments?.provider.cards != null, status: topUp.state, stopped_by: topUp.stoppedBy },
    card: card && { brand: card.brand, last4: card.last4, ends: card.ends },
    threshold: formatOrNull(topUp.thresholdMicros),
    amount: formatOrNull(topUp.amountMicros),
    month_most: formatOrNull(topUp.monthMicros),
    month_used: formatMicros(usedMicros),
  };
}

function formatOrNull(micros: bigint | null): string | null {
  return micros === null ? null : formatMicros(micros);
}
