import { type ActivityDeps, type Days, readActivity } from './read-activity.ts';

export interface UsageQuery extends Days {
  by?: 'model' | 'key';
}

/** Cost and number of jobs per day (UTC) of their creation, split by model or key. @throws AppError `invalid_request` */
export async function readUsage(
  deps: ActivityDeps,
  accountId: string,
  { by = 'model', ...days }: UsageQuery,
) {
  const activity = await readActivity(deps, accountId, { ...days, by }, { byDay: true });
  const { from, to, series, slots, total } = activity;
  return {
    from,
    to,
    by,
    timezone: 'UTC' as const,
    series: series.map(({ id, name, cost, jobs }) => ({ id, name, cost, jobs })),
    days: slots.map(({ at, values, ...sum }) => ({ day: at.slice(0, 10), ...countsOf(sum), values })),
    total: countsOf(total),
  };
}

function countsOf({
  cost,
  jobs,
  done,
  failed,
}: {
  cost: string;
  jobs: number;
  done: number;
  failed: number;
}) {
  return { cost, jobs, done, failed };
}
