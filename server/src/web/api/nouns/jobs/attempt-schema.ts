import Type from 'typebox';
import { amount, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { billings } from '../../../../jobs/costs/charge.ts';

const usage = Type.Unsafe<Record<string, unknown> | null>({
  title: 'UpstreamUsage',
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'The usage that the upstream reports, in its own terms.',
});

/** An attempt. Only operators see it, because it names the upstream. */
export const attemptSchema = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'The number, from 1.' }),
    ended_at: time('When it ended, or when it lost its job.'),
    route: nullable(Type.String()),
    provider: nullable(Type.String()),
    upstream_model: nullable(Type.String()),
    billed: oneOf(billings, {
      description: 'Whether the upstream charges for it; `unknown`: only its bill will show it.',
    }),
    cost: nullable(amount('The cost; null if it is unknown.')),
    possible_cost: nullable(amount('The cost in case it was billed, if that is `unknown`.')),
    currency: Type.String({ description: 'The currency of the cost.' }),
    usage,
  },
  { title: 'JobAttempt' },
);
