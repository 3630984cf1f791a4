import type { EntryKind, EntryRow } from '@darkroom/server/panel-contract';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** The entries of a job, with their change of balance and reserved amount. */
export function EntryTable({ entries }: { entries: EntryRow[] }) {
  return (
    <DataTable
      caption="Ledger entries"
      columns={[
        { name: 'When', cell: (entry) => <RelativeTime at={entry.created_at} /> },
        { name: 'What', cell: (entry) => kindWords[entry.kind] },
        { name: 'Balance', align: 'end', cell: (entry) => <Change amount={entry.balance_change} /> },
        { name: 'Reserved', align: 'end', cell: (entry) => <Change amount={entry.reserved_change} /> },
      ]}
      rows={entries}
      rowKey={(entry) => entry.entry_id}
    />
  );
}

export const kindWords: Record<EntryKind, string> = {
  credit: 'Credit',
  debit: 'Debit',
  reserve: 'Reserved',
  capture: 'Captured',
  release: 'Released',
};

export function Change({ amount }: { amount: string }) {
  return Number(amount) === 0 ? <span className="soft">–</span> : <Money amount={amount} sign bare />;
}
