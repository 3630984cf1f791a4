import Type from 'typebox';
import { amount, flag, nullable } from '../../../../base/http/schemas.ts';
import type { BatchQuote } from '../../../../jobs/admission/create-batch.ts';
import type { Quote } from '../../../../jobs/admission/quotes/quote-job.ts';
import { presentEta } from '../../../../jobs/queue-view.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { etaSchema } from './queue-schemas.ts';

export const dryRunQuery = Type.Object({
  dry_run: Type.Optional(flag('`true` returns a quote: nothing is created.')),
});

const accepted = Type.Boolean({
  description:
    'Whether a create would be accepted now and could be made, as far as this is known without fetching inputs.',
});
const reasons = Type.Array(Type.String(), {
  description:
    'The error codes with which it would be refused, such as `insufficient_funds`. Empty if it would be accepted.',
});
const detail = nullable(
  Type.String({ description: 'The reasons for people, a sentence each; null if it would be accepted.' }),
);

export const quoteSchema = Type.Object(
  {
    price: amount('The price of the job.'),
    width: nullable(Type.Integer({ description: 'Pixels; null for `auto`, which is decided later.' })),
    height: nullable(Type.Integer({ description: 'Pixels; null for `auto`, which is decided later.' })),
    accepted,
    reasons,
    detail,
    eta: nullable(etaSchema),
    cost: Type.Optional(
      nullable(amount('The expected upstream cost, including failures; null if it is unknown.'), {
        description: 'Only for operators, in the panel.',
      }),
    ),
    margin: Type.Optional(
      nullable(amount('Price less cost.'), { description: 'Only for operators, in the panel.' }),
    ),
  },
  { $id: 'Quote' },
);

export const batchQuoteSchema = Type.Object(
  {
    jobs: Type.Integer({ description: 'The number of jobs that it would create.' }),
    price: amount('The price of all requests.'),
    prices: Type.Array(amount('The price of the job.'), {
      description: 'The price of each, in the order of the requests.',
    }),
    accepted,
    reasons,
    detail,
  },
  { $id: 'BatchQuote' },
);

/** `costMicros` is for operators only, and null if unknown. */
export function presentQuote({ priceMicros, size, reasons, eta }: Quote, costMicros?: bigint | null) {
  return {
    price: formatMicros(priceMicros),
    width: size?.width ?? null,
    height: size?.height ?? null,
    ...presentReasons(reasons),
    eta: presentEta(eta),
    ...(costMicros !== undefined && {
      cost: costMicros === null ? null : formatMicros(costMicros),
      margin: costMicros === null ? null : formatMicros(priceMicros - costMicros),
    }),
  };
}

export function presentBatchQuote({ prices, priceMicros, reasons }: BatchQuote) {
  return {
    jobs: prices.length,
    price: formatMicros(priceMicros),
    prices: prices.map(formatMicros),
    ...presentReasons(reasons),
  };
}

/** Presents a code once, even if two limits with that code are reached. */
function presentReasons(reasons: Quote['reasons']) {
  return {
    accepted: reasons.length === 0,
    reasons: [...new Set(reasons.map(({ code }) => code))],
    detail: reasons.map(({ message }) => message).join(' ') || null,
  };
}
