import type { ModelMargins } from '@darkroom/server/panel-contract';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

/** What a model earned, day by day. */
export function MarginTable({ margins }: { margins: ModelMargins | undefined }) {
  if (!margins) return <p className="soft small">No image was made in the last seven days.</p>;
  const rows = [...margins.days, { day: 'Seven days', ...margins }];
  return (
    <DataTable
      caption="Margin by day"
      rows={rows}
      rowKey={(row) => row.day}
      columns={[
        { name: 'Day (UTC)', cell: (row) => <span className="nowrap">{row.day}</span> },
        { name: 'Images', align: 'end', cell: (row) => row.images },
        { name: 'Paid', align: 'end', wideOnly: true, cell: (row) => <Money amount={row.paid} /> },
        {
          name: 'Cost',
          align: 'end',
          cell: ({ cost, without_cost: unknown }) => (
            <>
              {cost === null ? <span className="soft">not known</span> : <Money amount={cost} />}
              {cost !== null && unknown > 0 && <div className="soft tiny">{unknown} not known</div>}
            </>
          ),
        },
        {
          name: 'Margin',
          align: 'end',
          cell: ({ margin }) =>
            margin === null ? <span className="soft">–</span> : <Money amount={margin} sign />,
        },
      ]}
    />
  );
}
