import Type from 'typebox';
import { amount, closed, named, oneOf } from '../../../http/schemas.ts';
import { maxDays } from '../../../jobs/read-activity.ts';
import { readUsage } from '../../../jobs/read-usage.ts';
import { accountCall } from '../../account-call.ts';

const counts = {
  cost: amount('Of the jobs that are done; others cost nothing.'),
  jobs: Type.Integer({ description: 'How many were created.' }),
  done: Type.Integer(),
  failed: Type.Integer(),
};
const countsSchema = Type.Object(counts, { title: 'UsageCount' });
const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-11-20'] });
const splits = ['model', 'key'] as const;

export const usageSchema = Type.Object(
  {
    from: day('The first day.'),
    to: day('The last day, included.'),
    by: oneOf(splits, { title: 'UsageSplit' }),
    timezone: Type.Literal('UTC'),
    series: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Of the model or the key; `panel` for jobs made in the panel.' }),
          name: Type.String(),
          cost: counts.cost,
          jobs: counts.jobs,
        },
        { title: 'UsageSeries' },
      ),
      { description: 'The largest cost first.' },
    ),
    days: Type.Array(
      Type.Object(
        {
          day: day('In UTC.'),
          ...counts,
          values: Type.Array(countsSchema, { description: 'In the order of `series`.' }),
        },
        { title: 'UsageDay' },
      ),
      { description: 'Every day, also those without jobs.' },
    ),
    total: countsSchema,
  },
  { $id: 'Usage' },
);

const usageQuery = closed({
  from: Type.Optional(day('The first day, in UTC; 29 days before the last when left out.')),
  to: Type.Optional(day('The last day, included; today when left out.')),
  by: Type.Optional(oneOf(splits, { title: 'UsageSplit', default: 'model' })),
});

export type UsageDeps = Parameters<typeof readUsage>[0];

/** What the account made and spent. */
export function usageCall(deps: UsageDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'getUsage',
    summary: 'Read the usage per day',
    description: `Jobs and cost per day of their creation, by model or by key, over at most ${maxDays} days. Jobs are counted for as long as they are kept (30 days unless the operator says otherwise); entries are kept for ever.`,
    query: usageQuery,
    status: 200,
    reply: named(usageSchema),
    errors: [],
    handle: ({ accountId, query }) => readUsage(deps, accountId, query),
  });
}
