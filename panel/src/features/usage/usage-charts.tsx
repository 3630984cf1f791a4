import type { Usage } from '@darkroom/server/panel-contract';
import { SegmentedControl } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { decimals, shortDay, utcDay } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Bars, seriesColors } from '../../ui/figures/bars.tsx';
import { Section } from '../../ui/page.tsx';
import { duration } from '../../ui/time.tsx';
import { type SlotName, slotsOf } from './slots.ts';

export type View = 'cost' | 'jobs';

/** Charts cost or jobs by day or hour, stacked by series. A click on a bar leads to its jobs. */
export function UsageChart(props: {
  usage: Usage;
  view: View;
  /** Undefined if there is only one view. */
  onView?: (view: View) => void;
  jobsOf: (at: string) => string;
}) {
  const { usage, view, onView } = props;
  const { slot: unit, slots } = slotsOf(usage);
  const { currency } = useSession();
  const few = usage.series.length <= seriesColors.length ? usage.series.length : shownSeries;
  const series = usage.series
    .slice(0, few)
    .map((one, index) => ({ name: seriesName(one), color: colorOf(usage.group_by, one.id, index) }));
  if (few < usage.series.length)
    series.push({
      name: t('{count} others', { count: usage.series.length - few }),
      color: 'var(--series-5)',
    });
  const items = slots.map((slot) => {
    const all = slot.values.map((value) => Number(value[view]));
    const rest = all.slice(few);
    return {
      name: slot.at,
      tick: tickOf(slot.at, unit),
      values: [...all.slice(0, few), ...(rest.length ? [rest.reduce((sum, value) => sum + value, 0)] : [])],
      text: t('{when}: {cost} {currency}, {jobs, plural, one {# job} other {# jobs}}', {
        when: titleOf(slot.at, unit),
        cost: slot.cost,
        currency,
        jobs: slot.jobs,
      }),
      ...(slot.jobs > 0 && { href: props.jobsOf(slot.at) }),
    };
  });
  const titles = {
    day: { cost: t('Cost per day, {currency}', { currency }), jobs: t('Jobs per day') },
    hour: { cost: t('Cost per hour, {currency}', { currency }), jobs: t('Jobs per hour') },
  };
  return (
    <Section
      title={titles[unit][view]}
      hint="Select a bar to see its jobs"
      actions={
        onView && (
          <SegmentedControl
            aria-label="What to show"
            size="xs"
            value={view}
            onChange={(value) => onView(value === 'jobs' ? 'jobs' : 'cost')}
            data={[
              { value: 'cost', label: t('Cost') },
              { value: 'jobs', label: t('Jobs') },
            ]}
          />
        )
      }
    >
      <div className="card padded">
        <Bars
          label={t('{title}; the tables below have the numbers', { title: titles[unit][view] })}
          series={series}
          items={items}
          height={220}
          format={(value) =>
            view === 'cost' ? decimals(value, 2) : Number.isInteger(value) ? String(value) : ''
          }
        />
      </div>
    </Section>
  );
}

/** How long images took, measured from the create. */
export function TimeChart({ usage, jobsOf }: { usage: Usage; jobsOf: (at: string) => string }) {
  const { slot: unit, slots } = slotsOf(usage);
  const items = slots.map(({ at, p50_ms = null, p95_ms = null, jobs }) => ({
    name: at,
    tick: tickOf(at, unit),
    values: [p50_ms ?? 0, (p95_ms ?? 0) - (p50_ms ?? 0)],
    text:
      p50_ms === null || p95_ms === null
        ? t('{at}: no image', { at: titleOf(at, unit) })
        : `${titleOf(at, unit)}: p50 ${duration(p50_ms)}, p95 ${duration(p95_ms)}`,
    ...(jobs > 0 && { href: jobsOf(at) }),
  }));
  const title = unit === 'day' ? t('Time to the image per day') : t('Time to the image per hour');
  return (
    <Section title={title} hint="From the request to the finished image">
      <div className="card padded">
        <Bars
          label={t('{title}; the tables below have the numbers', { title })}
          series={[
            { name: 'p50', color: 'var(--series-1)' },
            { name: 'p95', color: 'var(--series-2)' },
          ]}
          items={items}
          height={220}
          format={(value) => (value === 0 ? '0' : duration(value))}
        />
      </div>
    </Section>
  );
}

/** Returns the words for a status or an error. Other series have their own names. */
export function seriesName({ id, name }: { id: string; name: string }): string {
  return id === name ? (seriesWords[id] ?? name) : name;
}

const seriesWords: Record<string, string> = {
  queued: t('Queued'),
  processing: t('Processing'),
  done: t('Done'),
  failed: t('Failed'),
  safety_blocked: t('Safety blocked'),
  policy_refused: t('Policy refused'),
  no_image: t('No image'),
  invalid_input: t('Invalid input'),
  provider_unavailable: t('Provider unavailable'),
  provider_rejected: t('Provider rejected'),
  timed_out: t('Timed out'),
  deadline_exceeded: t('Deadline exceeded'),
  interrupted: t('Interrupted'),
  cancelled: t('Cancelled'),
  internal: t('Internal'),
};

export function titleOf(at: string, slot: SlotName): string {
  return slot === 'day' ? utcDay(at) : `${utcDay(at)} ${at.slice(11, 16)}`;
}

/** The number of series shown separately. More would be too thin to distinguish, so the others are combined. */
const shownSeries = seriesColors.length - 1;

const ofStatus: Record<string, string> = {
  done: 'var(--series-1)',
  failed: 'var(--series-failed)',
  processing: 'var(--series-2)',
  queued: 'var(--series-5)',
};

function colorOf(by: Usage['group_by'], id: string, index: number): string {
  return (by === 'status' ? ofStatus[id] : seriesColors[index]) ?? 'var(--series-5)';
}

function tickOf(at: string, slot: SlotName): string {
  return slot === 'day' ? shortDay(at) : at.slice(11, 16);
}
