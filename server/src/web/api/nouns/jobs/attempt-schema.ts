import Type from 'typebox';
import { amount, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { billings } from '../../../../jobs/costs/charge.ts';

const usage = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: "What the upstream says that it used, in the upstream's own words.",
});

/** An attempt. Only operators see it, because it names the upstream. */
export const attemptSchema = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'From 1.' }),
    ended_at: time('When it ended, or its job was taken away.'),
    route: nullable(Type.String()),
    provider: nullable(Type.String()),
    upstream_model: nullable(Type.String()),
    billed: oneOf(billings, {
      description: 'Whether the upstream charges for it; `unknown`: only its bill tells.',
    }),
    cost: nullable(amount('What it cost; null where nobody knows.')),
    possible_cost: nullable(amount('What it cost if it was billed, where that is `unknown`.')),
    currency: Type.String({ description: 'Of the cost.' }),
    usage,
  },
  { title: 'JobAttempt' },
);
