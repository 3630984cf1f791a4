import Type from 'typebox';
import { amount, closed, day, named, nullable, oneOf, period, time } from '../../../../base/http/schemas.ts';
import { maxDays, readUsage, splits, type UsageDeps } from '../../../../jobs/read-usage.ts';
import { accountCall } from '../../account-call.ts';

const onlyWithTimes = 'only with `include=times`.';
const counts = {
  cost: amount('The price of jobs that are done; others cost nothing.'),
  jobs: Type.Integer({ description: 'The number of jobs that were created.' }),
  done: Type.Integer(),
  failed: Type.Integer(),
};
const duration = (figure: string) =>
  Type.Optional(
    nullable(
      Type.Integer({
        description: `${figure} of the time from the create of a done job to its image, in milliseconds; ${onlyWithTimes}`,
      }),
    ),
  );
const times = { p50_ms: duration('The median'), p95_ms: duration('The 95th percentile') };
const values = Type.Array(Type.Object(counts, { title: 'UsageCount' }), {
  description: 'The counts in the order of `series`.',
});

export const usageSchema = Type.Object(
  {
    from: day('The first day.'),
    to: day('The last day, included.'),
    group_by: oneOf(splits, { title: 'UsageSplit' }),
    // The name of `group_by` in version 0.1.0.
    by: oneOf(splits, { title: 'UsageSplit' }),
    timezone: Type.Literal('UTC'),
    series: Type.Array(
      Type.Object(
        {
          id: Type.String({
            description:
              'The model; the key (`panel` for jobs created in the panel); or the resolution, status or error.',
          }),
          name: Type.String(),
          cost: counts.cost,
          jobs: counts.jobs,
          done: Type.Optional(counts.done),
          failed: Type.Optional(counts.failed),
          ...times,
        },
        { title: 'UsageSeries' },
      ),
      { description: 'The largest cost first.' },
    ),
    days: Type.Array(
      Type.Object({ day: day('The day in UTC.'), ...counts, ...times, values }, { title: 'UsageDay' }),
      {
        description: 'Every day, including those without jobs.',
      },
    ),
    hours: Type.Optional(
      Type.Array(
        Type.Object({ hour: time('When it begins.'), ...counts, ...times, values }, { title: 'UsageHour' }),
        { description: `Every hour, if there are at most three days; ${onlyWithTimes}` },
      ),
    ),
    total: Type.Object({ ...counts, ...times }, { title: 'UsageTotal' }),
  },
  { $id: 'Usage' },
);

const filters = {
  ...period,
  group_by: Type.Optional(oneOf(splits, { title: 'UsageSplit', default: 'model' })),
  key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only jobs of this key.' })),
};
export const usageFormerNames = { by: 'group_by' };
export const usageFilters = closed(filters);

export function usageCall(deps: UsageDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'getUsage',
    summary: 'Read the usage per day',
    description: `Jobs and cost per day of their creation, by model, key, resolution, status or error, over at most ${maxDays} days. Jobs are counted as long as they are kept (30 days by default); entries are kept for ever.`,
    query: closed({
      ...filters,
      include: Type.Optional(
        oneOf(['times'], { title: 'UsageInclude', description: 'How long images took, and the hours.' }),
      ),
    }),
    formerNames: usageFormerNames,
    reply: named(usageSchema),
    async handle({ accountId, query }) {
      const usage = await readUsage(deps, accountId, query);
      return { ...usage, by: usage.group_by };
    },
  });
}
