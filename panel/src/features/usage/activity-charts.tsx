import type { Activity } from '@darkroom/server/panel-contract';
import { useSession } from '../../api/session.ts';
import { Bars, seriesColors } from '../../ui/figures/bars.tsx';
import { Section } from '../../ui/page.tsx';
import { duration } from '../../ui/time.tsx';

export type View = 'cost' | 'jobs';

/** Cost or jobs by day or hour, stacked as they are split. A click on a bar leads to its jobs. */
export function ActivityChart(props: { activity: Activity; view: View; jobsOf: (at: string) => string }) {
  const { activity, view } = props;
  const { currency } = useSession();
  const few = activity.series.length <= seriesColors.length ? activity.series.length : shownSeries;
  const series = activity.series
    .slice(0, few)
    .map((one, index) => ({ name: seriesName(one), color: colorOf(activity.by, one.id, index) }));
  if (few < activity.series.length)
    series.push({ name: `${activity.series.length - few} others`, color: 'var(--series-5)' });
  const items = activity.slots.map((slot) => {
    const all = slot.values.map((value) => Number(value[view]));
    const rest = all.slice(few);
    return {
      name: slot.at,
      tick: tickOf(slot.at, activity.slot),
      values: [...all.slice(0, few), ...(rest.length ? [rest.reduce((sum, value) => sum + value, 0)] : [])],
      text: `${titleOf(slot.at, activity.slot)}: ${slot.cost} ${currency}, ${slot.jobs} jobs`,
      ...(slot.jobs > 0 && { href: props.jobsOf(slot.at) }),
    };
  });
  const what = view === 'cost' ? 'Cost' : 'Jobs';
  return (
    <Section
      title={`${what} per ${activity.slot}${view === 'cost' ? `, ${currency}` : ''}`}
      hint="Select a bar to see its jobs"
    >
      <div className="card padded">
        <Bars
          label={`${what} per ${activity.slot}; the tables below have the numbers`}
          series={series}
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

/** How long pictures took from the create. */
export function TimeChart({ activity, jobsOf }: { activity: Activity; jobsOf: (at: string) => string }) {
  const items = activity.slots.map(({ at, p50_ms, p95_ms, jobs }) => ({
    name: at,
    tick: tickOf(at, activity.slot),
    values: [p50_ms ?? 0, (p95_ms ?? 0) - (p50_ms ?? 0)],
    text:
      p50_ms === null || p95_ms === null
        ? `${titleOf(at, activity.slot)}: no image`
        : `${titleOf(at, activity.slot)}: p50 ${duration(p50_ms)}, p95 ${duration(p95_ms)}`,
    ...(jobs > 0 && { href: jobsOf(at) }),
  }));
  return (
    <Section title={`Time to the image per ${activity.slot}`} hint="From the request to the finished image">
      <div className="card padded">
        <Bars
          label={`Time to the image per ${activity.slot}; the tables below have the numbers`}
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

/** Words of ours begin with a capital letter. */
export function seriesName({ id, name }: { id: string; name: string }): string {
  return id === name ? id.charAt(0).toUpperCase() + id.slice(1).replaceAll('_', ' ') : name;
}

/** `2026-11-22`, or `2026-11-22 14:00`. */
export function titleOf(at: string, slot: Activity['slot']): string {
  return slot === 'day' ? at.slice(0, 10) : `${at.slice(0, 10)} ${at.slice(11, 16)}`;
}

/** More series would be too thin to tell apart; the rest is combined. */
const shownSeries = seriesColors.length - 1;

const ofStatus: Record<string, string> = {
  done: 'var(--series-1)',
  failed: 'var(--series-failed)',
  processing: 'var(--series-2)',
  queued: 'var(--series-5)',
};

function colorOf(by: Activity['by'], id: string, index: number): string {
  return (by === 'status' ? ofStatus[id] : seriesColors[index]) ?? 'var(--series-5)';
}

function tickOf(at: string, slot: Activity['slot']): string {
  return slot === 'day' ? at.slice(5, 10) : at.slice(11, 16);
}
