import Type, { type Static } from 'typebox';
import { closed, oneOf } from '../../../http/schemas.ts';
import { assertKnownFilters } from '../../../jobs/known-filters.ts';
import { type ActivityDeps, readActivity, splits } from '../../../jobs/read-activity.ts';
import { accountCall } from '../../account-call.ts';
import { csv } from '../../csv.ts';
import { streamed } from '../../streamed.ts';

export type Activity = Awaited<ReturnType<typeof readActivity>>;

const day = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description, examples: ['2026-11-20'] }));

export const activityQuery = closed({
  from: day('The first day, in UTC; 29 days before the last when left out.'),
  to: day('The last day, included; today when left out.'),
  by: Type.Optional(oneOf(splits, { title: 'ActivitySplit', default: 'model' })),
  key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only jobs of this key.' })),
});

/** Jobs, cost and speed of an account by the day, or by the hour where days are few. */
export async function readOwnActivity(
  deps: ActivityDeps,
  accountId: string,
  query: Static<typeof activityQuery>,
): Promise<Activity> {
  const { key_id: keyId } = query;
  await assertKnownFilters(deps.database.read, deps.catalogue, { accountId, ...(keyId && { keyId }) });
  return readActivity(deps, accountId, query);
}

export function usageTableCall(deps: ActivityDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'downloadUsageTable',
    summary: 'Download the usage as a table',
    description:
      'CSV: a row for each day and series with jobs, or for each hour where the days are three or fewer.',
    query: activityQuery,
    status: 200,
    replyType: 'text/csv',
    reply: streamed,
    errors: [],
    async handle({ accountId, query }) {
      const activity = await readOwnActivity(deps, accountId, query);
      const header = [`${activity.slot}_utc`, activity.by, 'name', 'cost', 'jobs', 'done', 'failed'];
      return csv('usage.csv', header, rowsOf(activity));
    },
  });
}

const beginning = { day: 10, hour: 16 } as const;

function* rowsOf({ slot, slots, series }: Activity) {
  for (const { at, values } of slots) {
    for (const [index, { id, name }] of series.entries()) {
      const value = values[index];
      if (!value || value.jobs === 0) continue;
      yield [at.slice(0, beginning[slot]), id, name, value.cost, value.jobs, value.done, value.failed];
    }
  }
}
