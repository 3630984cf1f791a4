import type { Usage } from '@darkroom/server/panel-contract';
import { useSession } from '../../api/session.ts';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration } from '../../ui/time.tsx';
import { slotsOf } from './slots.ts';
import { seriesName, titleOf } from './usage-charts.tsx';

export const splitNames: Record<Usage['by'], string> = {
  model: 'Model',
  key: 'Key',
  resolution: 'Resolution',
  status: 'Status',
  error: 'Error',
};

/** The sums of what the usage is split by, each with a link to its jobs where there is such a filter. */
export function BySeries(props: { usage: Usage; jobsOf: (id: string) => string | undefined }) {
  const { currency } = useSession();
  const name = splitNames[props.usage.by];
  return (
    <Section title={`By ${name.toLowerCase()}`}>
      <DataTable
        caption={`Cost and jobs by ${name.toLowerCase()}`}
        rows={props.usage.series}
        rowKey={(one) => one.id}
        columns={[
          {
            name,
            cell: (one) => {
              const href = props.jobsOf(one.id);
              if (href === undefined) return seriesName(one);
              return (
                <Link href={href} className="row-link">
                  {seriesName(one)}
                </Link>
              );
            },
          },
          { name: 'Jobs', align: 'end', cell: (one) => one.jobs.toLocaleString('en') },
          {
            name: 'Failed',
            align: 'end',
            wideOnly: true,
            cell: (one) => one.failed?.toLocaleString('en'),
          },
          { name: 'p50', align: 'end', wideOnly: true, cell: (one) => <Duration ms={one.p50_ms} /> },
          { name: 'p95', align: 'end', wideOnly: true, cell: (one) => <Duration ms={one.p95_ms} /> },
          { name: `Cost, ${currency}`, align: 'end', cell: (one) => <Money amount={one.cost} bare /> },
        ]}
      />
    </Section>
  );
}

export function BySlot({ usage, jobsOf }: { usage: Usage; jobsOf: (at: string) => string }) {
  const { currency } = useSession();
  const { slot: unit, slots: all } = slotsOf(usage);
  const slots = all.filter(({ jobs }) => jobs > 0).reverse();
  const left = slots.length < all.length;
  return (
    <Section
      title={`By ${unit}`}
      hint={left ? `${unit === 'day' ? 'Days' : 'Hours'} without jobs are not listed` : undefined}
    >
      <DataTable
        caption={`Cost and jobs by ${unit}`}
        rows={slots}
        rowKey={(slot) => slot.at}
        columns={[
          {
            name: unit === 'day' ? 'Day, UTC' : 'Hour, UTC',
            cell: (slot) => (
              <Link href={jobsOf(slot.at)} className="row-link nowrap number">
                {titleOf(slot.at, unit)}
              </Link>
            ),
          },
          { name: 'Jobs', align: 'end', cell: (slot) => slot.jobs.toLocaleString('en') },
          {
            name: 'Failed',
            align: 'end',
            wideOnly: true,
            cell: (slot) => slot.failed.toLocaleString('en'),
          },
          { name: 'p50', align: 'end', wideOnly: true, cell: (slot) => <Duration ms={slot.p50_ms} /> },
          { name: 'p95', align: 'end', wideOnly: true, cell: (slot) => <Duration ms={slot.p95_ms} /> },
          { name: `Cost, ${currency}`, align: 'end', cell: (slot) => <Money amount={slot.cost} bare /> },
        ]}
      />
    </Section>
  );
}

export function Duration({ ms = null }: { ms: number | null | undefined }) {
  return ms === null ? <span className="soft">–</span> : <span className="nowrap">{duration(ms)}</span>;
}
