import type { ModelDefinition, RouteReport } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

export function PriceTable(props: { definition: ModelDefinition; routes: RouteReport[] }) {
  const rows = Object.entries(props.definition.resolutions).map(([resolution, sizing]) => ({
    resolution,
    ...sizing,
  }));
  return (
    <DataTable
      caption="Prices"
      rows={rows}
      rowKey={(row) => row.resolution}
      columns={[
        { name: t('Resolution'), cell: (row) => <span className="strong">{row.resolution}</span> },
        {
          name: t('Pixels'),
          wideOnly: true,
          cell: ({ sizes, megapixels, multipleOf = 8 }) =>
            sizes ? (
              <span className="soft">{rangeOf(Object.values(sizes))}</span>
            ) : (
              <span className="soft">
                {megapixels} megapixels, multiples of {multipleOf}
              </span>
            ),
        },
        { name: t('Price'), align: 'end', cell: (row) => <Money amount={row.price} /> },
        ...props.routes.map((route) => ({
          name: t('Cost on {length}', { length: route.route.slice(route.model.length + 1) }),
          align: 'end' as const,
          cell: ({ resolution }: { resolution: string }) => {
            const cost = costAt(route, resolution);
            return cost === undefined ? <span className="soft">not known</span> : <Money amount={cost} />;
          },
        })),
      ]}
    />
  );
}

function costAt({ cost_estimate: cost }: RouteReport, resolution: string): string | undefined {
  return cost?.[resolution] ?? cost?.any;
}

export function rangeOf(sizes: readonly [number, number][]): string {
  const [square] = sizes;
  if (!square) return t('none');
  const text = `${square[0]} × ${square[1]}`;
  return sizes.length === 1 ? text : t('{text}, and {more} more', { text, more: sizes.length - 1 });
}
