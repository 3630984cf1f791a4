import type { Margin } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

export function MarginTable(props: {
  margins: Margin[];
  by: keyof typeof firsts;
  cell: (row: Margin) => ReactNode;
}) {
  const { name, caption } = firsts[props.by];
  const { margins } = props;
  if (margins.length === 0) return <p className="soft small">Nothing was made in this time.</p>;
  const keyOf = ({ day, account_id, model, route, provider }: Margin) =>
    [day, account_id, model, route, provider].join(' ');
  return (
    <DataTable
      caption={caption}
      rows={margins}
      rowKey={keyOf}
      columns={[
        { name, cell: props.cell },
        { name: t('Images'), align: 'end', cell: ({ images }) => number(images) },
        { name: t('Revenue'), align: 'end', wideOnly: true, cell: (row) => <Money amount={row.revenue} /> },
        {
          name: t('Cost'),
          align: 'end',
          cell: ({ cost, images_without_cost: unknown }) => (
            <>
              {cost === null ? <span className="soft">not known</span> : <Money amount={cost} />}
              {cost !== null && unknown > 0 && <div className="soft tiny">of {unknown} not known</div>}
            </>
          ),
        },
        {
          name: t('Without revenue'),
          align: 'end',
          wideOnly: true,
          cell: (row) => <Money amount={row.cost_without_revenue} />,
        },
        {
          name: t('Margin'),
          align: 'end',
          cell: ({ margin, revenue }) =>
            margin === null ? (
              <span className="soft">–</span>
            ) : (
              <>
                <Money amount={margin} sign />
                <div className="soft tiny">{marginShare(margin, revenue)}</div>
              </>
            ),
        },
      ]}
    />
  );
}

const firsts = {
  day: { name: t('Day (UTC)'), caption: t('Margin by day (UTC)') },
  model: { name: t('Model'), caption: t('Margin by model') },
  account: { name: t('Account'), caption: t('Margin by account') },
  route: { name: t('Route'), caption: t('Margin by route') },
  provider: { name: t('Provider'), caption: t('Margin by provider') },
};

export function marginShare(margin: string, revenue: string): string | undefined {
  if (Number(revenue) === 0) return undefined;
  return t('{round}% of revenue', { round: Math.round((100 * Number(margin)) / Number(revenue)) }).replace(
    '-',
    '−',
  );
}
