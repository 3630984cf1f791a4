import type { Usage, UsageQuery } from '@darkroom/server/panel-contract';
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useAccountId } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { addressOf } from '../api/send.ts';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Bars, seriesColors } from '../ui/figures/bars.tsx';
import { Figure, Figures } from '../ui/figures/figures.tsx';
import { Money } from '../ui/money.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../ui/skeletons.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import classes from './usage.module.css';

type View = 'cost' | 'jobs';

export function UsagePage() {
  const params = { account_id: useAccountId() };
  const [search, change] = useSearchState();
  const view: View = search.view === 'jobs' ? 'jobs' : 'cost';
  const query = queryOf(search);
  const usage = useRead('GET /panel/accounts/:account_id/usage', { params, query }, { keep: true });
  return (
    <Page
      title="Usage"
      intro="By UTC day. A job counts on the day it was created; only jobs that are done are charged."
      actions={
        <Button
          component="a"
          variant="default"
          download
          href={addressOf('GET /panel/accounts/:account_id/usage.csv', { params, query })}
        >
          Download CSV
        </Button>
      }
    >
      <div className={classes.choices}>
        <SegmentedControl
          aria-label="What to show"
          value={view}
          onChange={(value) => change({ view: value })}
          data={[
            { value: 'cost', label: 'Cost' },
            { value: 'jobs', label: 'Activity' },
          ]}
        />
        <SegmentedControl
          aria-label="Stacked by"
          value={query.by ?? 'model'}
          onChange={(by) => change({ by })}
          data={[
            { value: 'model', label: 'By model' },
            { value: 'key', label: 'By key' },
          ]}
        />
        <TextInput
          aria-label="First day"
          type="date"
          value={search.from ?? usage.data?.from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          aria-label="Last day"
          type="date"
          value={search.to ?? usage.data?.to ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
      </div>
      <Await query={usage} wait={<FiguresSkeleton />}>
        {(data) => <Shown usage={data} view={view} />}
      </Await>
    </Page>
  );
}

function Shown({ usage, view }: { usage: Usage; view: View }) {
  const { total } = usage;
  if (total.jobs === 0) {
    return (
      <EmptyState title="No jobs in this period">
        Cost and activity per day appear here, by model or by key, as soon as there are jobs. Choose other
        days above, or make an image in the playground.
      </EmptyState>
    );
  }
  return (
    <div className="stack wide">
      <Figures>
        <Figure name="Cost">
          <Money amount={total.cost} />
        </Figure>
        <Figure name="Jobs">{total.jobs}</Figure>
        <Figure name="Done">{total.done}</Figure>
        <Figure name="Failed">{total.failed}</Figure>
      </Figures>
      <Chart usage={usage} view={view} />
      <div className={classes.tables}>
        <BySeries usage={usage} />
        <ByDay usage={usage} />
      </div>
    </div>
  );
}

/** More series would be too thin to tell apart; the rest is combined. */
const shownSeries = seriesColors.length - 1;

function Chart({ usage, view }: { usage: Usage; view: View }) {
  const { currency } = useSession();
  const few = usage.series.length <= seriesColors.length ? usage.series.length : shownSeries;
  const names = usage.series.slice(0, few).map((one) => one.name);
  if (few < usage.series.length) names.push(`${usage.series.length - few} others`);
  const items = usage.days.map((day) => {
    const all = day.values.map((value) => Number(value[view]));
    const rest = all.slice(few);
    const values = [
      ...all.slice(0, few),
      ...(rest.length ? [rest.reduce((sum, value) => sum + value, 0)] : []),
    ];
    return {
      name: day.day,
      tick: day.day.slice(5),
      values,
      text: `${day.day}: ${day.cost} ${currency}, ${day.jobs} jobs`,
    };
  });
  return (
    <Section title={view === 'cost' ? `Cost per day, ${currency}` : 'Jobs per day'}>
      <div className="card padded">
        <Bars
          label={`${view === 'cost' ? 'Cost' : 'Jobs'} per day; the tables below have the numbers`}
          series={names.map((name, index) => ({ name, color: seriesColors[index] ?? 'var(--series-5)' }))}
          items={items}
          height={220}
          format={(value) =>
            view === 'cost' ? value.toFixed(2) : Number.isInteger(value) ? String(value) : ''
          }
        />
      </div>
    </Section>
  );
}

function BySeries({ usage }: { usage: Usage }) {
  const { currency } = useSession();
  return (
    <Section title={usage.by === 'model' ? 'By model' : 'By key'}>
      <DataTable
        caption={usage.by === 'model' ? 'Cost and jobs by model' : 'Cost and jobs by key'}
        rows={usage.series}
        rowKey={(one) => one.id}
        columns={[
          { name: usage.by === 'model' ? 'Model' : 'Key', cell: (one) => one.name },
          { name: 'Jobs', align: 'end', cell: (one) => one.jobs },
          { name: `Cost, ${currency}`, align: 'end', cell: (one) => <Money amount={one.cost} bare /> },
        ]}
      />
    </Section>
  );
}

function ByDay({ usage }: { usage: Usage }) {
  const { currency } = useSession();
  const days = usage.days.filter((day) => day.jobs > 0).reverse();
  return (
    <Section
      title="By day"
      hint={days.length < usage.days.length ? 'Days without jobs are not listed' : undefined}
    >
      <DataTable
        caption="Cost and jobs by day"
        rows={days}
        rowKey={(day) => day.day}
        columns={[
          { name: 'Day, UTC', cell: (day) => <span className="nowrap number">{day.day}</span> },
          { name: 'Jobs', align: 'end', cell: (day) => day.jobs },
          { name: 'Done', align: 'end', cell: (day) => day.done },
          { name: 'Failed', align: 'end', wideOnly: true, cell: (day) => day.failed },
          { name: `Cost, ${currency}`, align: 'end', cell: (day) => <Money amount={day.cost} bare /> },
        ]}
      />
    </Section>
  );
}

function queryOf(search: Record<string, string | undefined>): UsageQuery {
  return {
    by: search.by === 'key' ? 'key' : 'model',
    ...(search.from && { from: search.from }),
    ...(search.to && { to: search.to }),
  };
}
