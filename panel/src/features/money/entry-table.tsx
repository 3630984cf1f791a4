import type { EntryKind, EntryRow } from '@darkroom/server/panel-contract';
import { paths } from '../../paths.ts';
import { shortId } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** Ledger entries, with their change of balance and reserved amount. */
export function EntryTable(props: { entries: EntryRow[]; accountId: string; on: 'job' | 'balance' }) {
  const columns: Column<EntryRow>[] = [
    { name: 'When', wideOnly: true, cell: (entry) => <RelativeTime at={entry.created_at} /> },
    { name: 'What', cell: (entry) => <What entry={entry} accountId={props.accountId} on={props.on} /> },
    { name: 'Balance', align: 'end', cell: (entry) => <Change amount={entry.balance_change} /> },
    { name: 'Reserved', align: 'end', cell: (entry) => <Change amount={entry.reserved_change} /> },
  ];
  const running: Column<EntryRow>[] = [
    {
      name: 'Balance after',
      align: 'end',
      wideOnly: true,
      cell: (entry) => <After amount={entry.balance_after} />,
    },
    {
      name: 'Reserved after',
      align: 'end',
      wideOnly: true,
      cell: (entry) => <After amount={entry.reserved_after} />,
    },
  ];
  const withRunning = props.entries.some((entry) => entry.balance_after !== null);
  return (
    <DataTable
      caption="Ledger entries"
      columns={withRunning ? [...columns, ...running] : columns}
      rows={props.entries}
      rowKey={(entry) => entry.entry_id}
    />
  );
}

export const kindWords: Record<EntryKind, string> = {
  credit: 'Credit',
  reserve: 'Reserved',
  capture: 'Captured',
  release: 'Released',
};

function What({ entry, accountId, on }: { entry: EntryRow; accountId: string; on: 'job' | 'balance' }) {
  return (
    <span className="in-text">
      {kindWords[entry.kind]}
      {on === 'balance' && entry.job_id && (
        <span className="soft">
          {' '}
          for <Link href={paths.job(accountId, entry.job_id)}>job {shortId(entry.job_id)}</Link>
        </span>
      )}
      {entry.reason && <span className="soft"> · {entry.reason}</span>}
      <span className="narrow-only soft tiny">
        <RelativeTime at={entry.created_at} />
      </span>
    </span>
  );
}

function Change({ amount }: { amount: string }) {
  return Number(amount) === 0 ? <span className="soft">–</span> : <Money amount={amount} sign bare />;
}

function After({ amount }: { amount: string | null }) {
  return amount === null ? <span className="soft">–</span> : <span className="number">{amount}</span>;
}
