import type { Margin } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

/** What was earned, by what the first column says. */
export function MarginTable(props: { margins: Margin[]; first: string; cell: (row: Margin) => ReactNode }) {
  const { margins } = props;
  if (margins.length === 0) return <p className="soft small">Nothing was made in this time.</p>;
  const keyOf = ({ day, account_id, model, route, provider }: Margin) =>
    [day, account_id, model, route, provider].join(' ');
  return (
    <DataTable
      caption={`Margin by ${props.first.toLowerCase()}`}
      rows={margins}
      rowKey={keyOf}
      columns={[
        { name: props.first, cell: props.cell },
        { name: 'Images', align: 'end', cell: ({ images }) => images.toLocaleString('en') },
        { name: 'Revenue', align: 'end', wideOnly: true, cell: (row) => <Money amount={row.revenue} /> },
        {
          name: 'Cost',
          align: 'end',
          cell: ({ cost, images_without_cost: unknown }) => (
            <>
              {cost === null ? <span className="soft">not known</span> : <Money amount={cost} />}
              {cost !== null && unknown > 0 && <div className="soft tiny">of {unknown} not known</div>}
            </>
          ),
        },
        {
          name: 'Without revenue',
          align: 'end',
          wideOnly: true,
          cell: (row) => <Money amount={row.cost_without_revenue} />,
        },
        {
          name: 'Margin',
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

/** `61% of revenue` is left of it. */
export function marginShare(margin: string, revenue: string): string | undefined {
  if (Number(revenue) === 0) return undefined;
  return `${Math.round((100 * Number(margin)) / Number(revenue))}% of revenue`.replace('-', '−');
}
