import { readUsage, type UsageDeps } from '../../../../jobs/read-usage.ts';
import { accountCall } from '../../account-call.ts';
import { csv } from '../../csv.ts';
import { streamed } from '../../streamed.ts';
import { usageFilters, usageFormerNames } from './usage-calls.ts';

export function usageTableCall(deps: UsageDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'downloadUsageTable',
    summary: 'Download the usage as a table',
    description:
      'CSV: a row for each day and series with jobs, or for each hour if there are at most three days.',
    query: usageFilters,
    formerNames: usageFormerNames,
    replyType: 'text/csv',
    reply: streamed,
    async handle({ accountId, query }) {
      const usage = await readUsage(deps, accountId, { ...query, include: 'times' });
      const slot = usage.hours ? 'hour' : 'day';
      const header = [`${slot}_utc`, usage.group_by, 'name', 'cost', 'jobs', 'done', 'failed'];
      return csv('usage.csv', header, rowsOf(usage));
    },
  });
}

type Usage = Awaited<ReturnType<typeof readUsage>>;

function* rowsOf({ hours, days, series }: Usage) {
  const slots = hours?.map((slot) => ({ ...slot, at: slot.hour.slice(0, 16) }));
  for (const { at, values } of slots ?? days.map((slot) => ({ ...slot, at: slot.day }))) {
    for (const [index, { id, name }] of series.entries()) {
      const value = values[index];
      if (!value || value.jobs === 0) continue;
      yield [at, id, name, value.cost, value.jobs, value.done, value.failed];
    }
  }
}
