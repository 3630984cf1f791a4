import type { Model } from '@darkroom/server/panel-contract';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import classes from './batch-lines.module.css';
import type { BatchRequest } from './batch-requests.ts';

/** The maximum number of lines that a page can show well. The batch includes all lines. */
const mostShown = 200;

interface Line {
  index: number;
  request: BatchRequest;
  price: string | undefined;
  mistake: string | undefined;
}

/** Lists every request with its price. Requests that cannot be made come first, with the reason. */
export function BatchLines(props: {
  models: readonly Model[];
  requests: readonly BatchRequest[];
  prices: readonly string[] | undefined;
  mistakes: ReadonlyMap<number, string>;
}) {
  const modelOf = ({ model }: BatchRequest) => props.models.find(({ id }) => id === model);
  const lines = props.requests.map((request, index): Line => {
    return { index, request, price: props.prices?.[index], mistake: props.mistakes.get(index) };
  });
  const [wrong, right] = [lines.filter(({ mistake }) => mistake), lines.filter(({ mistake }) => !mistake)];
  const shown = [...wrong, ...right].slice(0, mostShown);
  return (
    <>
      <DataTable
        caption="Images of the batch"
        rows={shown}
        rowKey={({ index }) => index}
        columns={[
          { name: t('No.'), align: 'end', cell: ({ index }) => <span className="soft">{index + 1}</span> },
          { name: t('Prompt'), cell: (line) => <Prompt {...line} /> },
          {
            name: t('Model'),
            wideOnly: true,
            cell: ({ request }) => <span className="nowrap">{modelOf(request)?.name ?? request.model}</span>,
          },
          { name: t('Ratio'), wideOnly: true, cell: ({ request }) => request.body.aspect_ratio },
          {
            name: t('Size'),
            wideOnly: true,
            cell: ({ request }) => request.body.resolution ?? modelOf(request)?.resolutions[0]?.resolution,
          },
          { name: t('Price'), align: 'end', cell: ({ price }) => price && <Money amount={price} /> },
        ]}
      />
      {lines.length > shown.length && (
        <p className="soft small">
          {shown.length} of {number(lines.length)} are shown; all are made.
        </p>
      )}
    </>
  );
}

function Prompt({ request, mistake }: Line) {
  return (
    <>
      <span className={classes.prompt} dir="auto">
        {request.body.prompt}
      </span>
      {mistake && <span className={classes.mistake}>{mistake}</span>}
    </>
  );
}
