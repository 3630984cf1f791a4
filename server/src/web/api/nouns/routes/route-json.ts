import Type from 'typebox';
import { nullable, time } from '../../../../base/http/schemas.ts';
import type { RouteReport } from '../../../../jobs/routes/report-routes.ts';

const count = Type.Integer();
const seconds = nullable(Type.Number());

const state = {
  route: Type.String({ examples: ['nb2/gemini'] }),
  model: Type.String(),
  provider: Type.String(),
  upstream_model: nullable(Type.String(), { description: 'Null if it is left to the provider.' }),
  slots: Type.Integer({ description: 'The maximum number of concurrent jobs, across all workers.' }),
  running: Type.Integer(),
  state: Type.String({ description: '`closed`, `half_open`, or why the route gets no jobs now.' }),
  until: nullable(time('The route gets no jobs before this time.')),
  reason: nullable(Type.String()),
};

/** A route and whether it takes jobs now. */
export const routeStateSchema = Type.Object(state, { title: 'RouteState' });

export const routeCheckSchema = Type.Object(
  {
    ok: Type.Boolean(),
    detail: Type.Optional(Type.String()),
    ms: Type.Optional(Type.Integer({ description: 'How long the answer took, if the provider was asked.' })),
  },
  { title: 'RouteCheck' },
);

export const routeSchema = Type.Object(
  {
    ...state,
    upstream_end: nullable(
      Type.Object(
        {
          on: Type.String({ format: 'date', description: 'The first day without it.' }),
          over: Type.Boolean(),
          notice: Type.String({ description: 'A notice with the successor, and the change in price.' }),
        },
        { title: 'ModelEnd', description: 'The end of an upstream model, if it is past or within 30 days.' },
      ),
    ),
    timeout_seconds: Type.Number(),
    per_minute: nullable(Type.Number()),
    weight: nullable(Type.Number()),
    cost_estimate: Type.Unsafe<RouteReport['cost_estimate']>({
      title: 'CostEstimate',
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description:
        "The operator's estimate per image, by resolution; `any` if it is the same for all. Null without an estimate.",
    }),
    detail: nullable(Type.String()),
    done: count,
    failed: count,
    failures: Type.Integer({ description: 'Failed attempts, however their jobs ended.' }),
    p50_seconds: seconds,
    p95_seconds: seconds,
    by_cost: Type.Boolean({ description: 'Whether its model tries the cheapest route first.' }),
    cost_per_image: nullable(Type.String()),
    cost_with_failures: nullable(Type.String(), {
      description:
        'The cost of its attempts in the last seven days, including failures, per delivered image.',
    }),
    last_error: nullable(Type.String()),
    check: Type.Optional(routeCheckSchema),
  },
  { title: 'RouteReport' },
);
