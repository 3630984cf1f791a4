import type { Usage } from '@darkroom/server/panel-contract';
import { SegmentedControl } from '@mantine/core';
import { useAccountId } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { linkOf } from '../api/send.ts';
import { daysOf, type Period, timesOf } from '../features/usage/period.ts';
import { PeriodChoice } from '../features/usage/period-choice.tsx';
import { slotsOf } from '../features/usage/slots.ts';
import { TimeChart, UsageChart, type View } from '../features/usage/usage-charts.tsx';
import { BySeries, BySlot, Duration, splitNames } from '../features/usage/usage-tables.tsx';
import { number } from '../languages/format.ts';
import { paths } from '../paths.ts';
import { useSearchState } from '../search-state.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Figure, Figures } from '../ui/figures/figures.tsx';
import { DownloadButton } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../ui/skeletons.tsx';
import classes from './usage.module.css';

const splits = ['model', 'key', 'resolution', 'status'] as const;

export function UsagePage() {
  const params = { account_id: useAccountId() };
  const [search, change] = useSearchState();
  const view: View = search.view === 'jobs' ? 'jobs' : 'cost';
  const { period, ...days } = daysOf(search);
  const by = splits.find((one) => one === search.by) ?? usualSplit(period);
  const query = { by, ...days };
  const usage = useRead(
    'GET /api/v1/usage',
    { params, query: { ...query, include: 'times' } },
    { keep: true },
  );
  return (
    <Page
      title="Usage"
      intro="By UTC day, or hour. A job counts when it was created; only jobs that are done are charged."
      actions={
        <DownloadButton href={linkOf('GET /api/v1/usage.csv', { params, query })}>
          Download CSV
        </DownloadButton>
      }
    >
      <div className={classes.choices}>
        <PeriodChoice days={{ period, ...days }} onChange={change} />
        <SegmentedControl
          aria-label="Split by"
          value={by}
          onChange={(value) => change({ by: value })}
          data={splits.map((value) => ({ value, label: splitNames[value] }))}
        />
      </div>
      <Await query={usage} wait={<FiguresSkeleton count={5} />}>
        {(data) => <Shown usage={data} view={view} onView={(view) => change({ view })} />}
      </Await>
    </Page>
  );
}

function usualSplit(period: Period): 'key' | 'model' {
  return period === 'today' ? 'key' : 'model';
}

function Shown({ usage, view, onView }: { usage: Usage; view: View; onView: (view: View) => void }) {
  const accountId = useAccountId();
  const { total } = usage;
  if (total.jobs === 0) {
    return (
      <EmptyState title="No jobs in this period">
        Cost, jobs and times appear here as soon as there are jobs, by model, key, resolution or status.
        Choose other days above, or make an image.
      </EmptyState>
    );
  }
  const jobsOfSlot = (at: string) => paths.jobs(accountId, timesOf(at, slotsOf(usage).slot));
  const jobsOfSeries = (id: string) => {
    if (usage.group_by === 'error') return undefined;
    const { from } = timesOf(usage.from, 'day');
    const { to } = timesOf(usage.to, 'day');
    return paths.jobs(accountId, { from, to, [usage.group_by]: id });
  };
  return (
    <div className="stack wide">
      <Figures>
        <Figure name="Cost">
          <Money amount={total.cost} />
        </Figure>
        <Figure name="Jobs">{number(total.jobs)}</Figure>
        <Figure name="Done">{number(total.done)}</Figure>
        <Figure name="Failed">{number(total.failed)}</Figure>
        <Figure name="Time, p50">
          <Duration ms={total.p50_ms} />
        </Figure>
        <Figure name="Time, p95">
          <Duration ms={total.p95_ms} />
        </Figure>
      </Figures>
      <div className={classes.charts}>
        <UsageChart usage={usage} view={view} onView={onView} jobsOf={jobsOfSlot} />
        {total.p50_ms != null && <TimeChart usage={usage} jobsOf={jobsOfSlot} />}
      </div>
      <div className={classes.tables}>
        <BySeries usage={usage} jobsOf={jobsOfSeries} />
        <BySlot usage={usage} jobsOf={jobsOfSlot} />
      </div>
    </div>
  );
}
