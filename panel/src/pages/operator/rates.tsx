import type { AnswerOf } from '@darkroom/server/panel-contract';
import { useRead } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

type Rate = AnswerOf<'GET /admin/v1/rates'>['data'][number];

export function RatesPage() {
  const rates = useRead('GET /admin/v1/rates', {});
  return (
    <Page
      title="Rates of providers"
      intro={
        <>
          What attempts cost, by what their answers say they used. The cost of a route in{' '}
          <Link href={paths.models()}>Models</Link> comes first. Models that are not here have no rate that
          could be verified. Set rates of your own with <code>darkroom costs rate</code>.
        </>
      }
    >
      <Await query={rates} wait={<TableSkeleton rows={8} />}>
        {({ data }) => (
          <DataTable
            caption="Rates"
            rows={data}
            rowKey={(one) => [one.provider, one.model, one.changed_at].join(' ')}
            columns={[
              { name: 'Model', cell: (one) => <Model rate={one} /> },
              { name: 'Rates', cell: (one) => <Amounts rate={one} /> },
              { name: 'Said by', align: 'end', cell: (one) => <Source rate={one} /> },
            ]}
          />
        )}
      </Await>
    </Page>
  );
}

function Model({ rate: { provider, model, in_use } }: { rate: Rate }) {
  return (
    <>
      <code>{model ?? 'any'}</code>
      <div className="soft tiny">{in_use ? provider : `${provider}, replaced`}</div>
    </>
  );
}

const units = [
  ['text_in', 'text in', 'million tokens'],
  ['image_in', 'images in', 'million tokens'],
  ['text_out', 'text out', 'million tokens'],
  ['image_out', 'images out', 'million tokens'],
  ['image', 'images', 'image'],
  ['credit', 'credits', 'credit'],
] as const;

function Amounts({ rate }: { rate: Rate }) {
  const known = units.filter(([unit]) => rate[unit] !== null);
  if (known.length === 0) return 'as published';
  return known.map(([unit, of, each]) => (
    <div key={unit}>
      {of} {rate[unit]} {rate.currency} <span className="soft tiny">a {each}</span>
    </div>
  ));
}

function Source({ rate: { source, read_on: read, changed_at: at, changed_by: by } }: { rate: Rate }) {
  return (
    <>
      {source === null ? by : <a href={source}>{new URL(source).hostname}</a>}
      <div className="soft tiny">{at === null ? `read on ${read}` : <RelativeTime at={at} />}</div>
    </>
  );
}
