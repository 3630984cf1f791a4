import type { BillCheck } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

type Difference = BillCheck['differences'][number];

const words: Record<Difference['differs'][number], string> = {
  not_on_bill: t('Not on the bill'),
  not_noted: t('Nothing noted'),
  count: t('How many'),
  amount: t('Amount'),
};

export function BillDifferences({ differences }: { differences: Difference[] }) {
  return (
    <DataTable
      caption="Differences by day and model"
      rows={differences}
      rowKey={({ day, upstream_model: model }) => `${day} ${model}`}
      columns={[
        {
          name: t('Day and model'),
          cell: ({ day, upstream_model: model }) => (
            <>
              <span className="nowrap">{day}</span>
              <div className="small">
                <code>{model}</code>
              </div>
            </>
          ),
        },
        { name: t('Differs'), cell: ({ differs }) => differs.map((one) => words[one]).join(', ') },
        {
          name: t('Bill'),
          align: 'end',
          cell: ({ bill }) => (bill ? <Both count={bill.count} amount={bill.amount} /> : t('nothing')),
        },
        { name: t('Noted'), align: 'end', cell: ({ noted }) => <Noted noted={noted} /> },
        { name: t('Attempts'), cell: ({ attempts }) => <Attempts attempts={attempts} /> },
      ]}
    />
  );
}

function Both({ count, amount }: { count: number | null; amount: string | null }) {
  return (
    <>
      {count !== null && <div>{t('{count, plural, one {# image} other {# images}}', { count })}</div>}
      {amount !== null && <Money amount={amount} />}
    </>
  );
}

function Noted({ noted }: { noted: Difference['noted'] }) {
  const { without_cost: free, unknown_attempts: unknown } = noted;
  return (
    <>
      <Both count={noted.count} amount={noted.amount} />
      {free > 0 && <div className="soft tiny">the cost of {free} is not known</div>}
      {unknown > 0 && (
        <div className="soft tiny">
          {t('{unknown, plural, one {# more may be billed} other {# more may be billed}}', { unknown })}
        </div>
      )}
    </>
  );
}

const shown = 5;

function Attempts({ attempts }: { attempts: Difference['attempts'] }) {
  if (attempts.length === 0) return <span className="soft">none</span>;
  const more = attempts.slice(shown);
  return (
    <>
      <AttemptList attempts={attempts.slice(0, shown)} />
      {more.length > 0 && (
        <details>
          <summary>{more.length} more</summary>
          <AttemptList attempts={more} />
        </details>
      )}
    </>
  );
}

function AttemptList({ attempts }: { attempts: Difference['attempts'] }) {
  return (
    <ul className="small">
      {attempts.map(({ job_id: id, account_id: account, attempt, billed, cost, possible_cost: possible }) => (
        <li key={`${id} ${attempt}`} className="nowrap">
          <Link href={paths.job(account, id)}>
            <code>…{id.slice(-8)}</code>
          </Link>
          {attempt > 1 && ` (${attempt})`} {billed === 'billed' ? '' : billed.replace('_', ' ')}{' '}
          {(cost ?? possible) && <Money amount={cost ?? possible ?? ''} />}
        </li>
      ))}
    </ul>
  );
}
