import type { Usage } from '@darkroom/server/panel-contract';
import { useSession } from '../../api/session.ts';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration } from '../../ui/time.tsx';
import { slotsOf } from './slots.ts';
import { seriesName, titleOf } from './usage-charts.tsx';

export const splitNames: Record<Usage['group_by'], string> = {
  model: t('Model'),
  key: t('Key'),
  resolution: t('Resolution'),
  status: t('Status'),
  error: t('Error'),
};

const splitTitles: Record<Usage['group_by'], { title: string; caption: string }> = {
  model: { title: t('By model'), caption: t('Cost and jobs by model') },
  key: { title: t('By key'), caption: t('Cost and jobs by key') },
  resolution: { title: t('By resolution'), caption: t('Cost and jobs by resolution') },
  status: { title: t('By status'), caption: t('Cost and jobs by status') },
  error: { title: t('By error'), caption: t('Cost and jobs by error') },
};

/** The sum of each series. Links to its jobs if jobs can be filtered by the series. */
export function BySeries(props: { usage: Usage; jobsOf: (id: string) => string | undefined }) {
  const { currency } = useSession();
  const name = splitNames[props.usage.group_by];
  const { title, caption } = splitTitles[props.usage.group_by];
  return (
    <Section title={title}>
      <DataTable
        caption={caption}
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
          { name: t('Jobs'), align: 'end', cell: (one) => number(one.jobs) },
          {
            name: t('Failed'),
            align: 'end',
            wideOnly: true,
            cell: (one) => (one.failed === undefined ? undefined : number(one.failed)),
          },
          { name: 'p50', align: 'end', wideOnly: true, cell: (one) => <Duration ms={one.p50_ms} /> },
          { name: 'p95', align: 'end', wideOnly: true, cell: (one) => <Duration ms={one.p95_ms} /> },
          {
            name: t('Cost, {currency}', { currency }),
            align: 'end',
            cell: (one) => <Money amount={one.cost} bare />,
          },
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
      title={unit === 'day' ? 'By day' : 'By hour'}
      hint={
        !left
          ? undefined
          : unit === 'day'
            ? 'Days without jobs are not listed'
            : 'Hours without jobs are not listed'
      }
    >
      <DataTable
        caption={unit === 'day' ? 'Cost and jobs by day' : 'Cost and jobs by hour'}
        rows={slots}
        rowKey={(slot) => slot.at}
        columns={[
          {
            name: unit === 'day' ? t('Day, UTC') : t('Hour, UTC'),
            cell: (slot) => (
              <Link href={jobsOf(slot.at)} className="row-link nowrap number">
                {titleOf(slot.at, unit)}
              </Link>
            ),
          },
          { name: t('Jobs'), align: 'end', cell: (slot) => number(slot.jobs) },
          {
            name: t('Failed'),
            align: 'end',
            wideOnly: true,
            cell: (slot) => number(slot.failed),
          },
          { name: 'p50', align: 'end', wideOnly: true, cell: (slot) => <Duration ms={slot.p50_ms} /> },
          { name: 'p95', align: 'end', wideOnly: true, cell: (slot) => <Duration ms={slot.p95_ms} /> },
          {
            name: t('Cost, {currency}', { currency }),
            align: 'end',
            cell: (slot) => <Money amount={slot.cost} bare />,
          },
        ]}
      />
    </Section>
  );
}

export function Duration({ ms = null }: { ms: number | null | undefined }) {
  return ms === null ? <span className="soft">–</span> : <span className="nowrap">{duration(ms)}</span>;
}
