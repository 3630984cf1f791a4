import type { EntryKind, EntryRow } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function EntryTable({ entries }: { entries: EntryRow[] }) {
  return (
    <DataTable
      caption="Ledger entries"
      columns={[
        { name: t('When'), cell: (entry) => <RelativeTime at={entry.created_at} /> },
        { name: t('What'), cell: (entry) => kindWords[entry.kind] },
        { name: t('Balance'), align: 'end', cell: (entry) => <Change amount={entry.balance_change} /> },
        { name: t('Reserved'), align: 'end', cell: (entry) => <Change amount={entry.reserved_change} /> },
      ]}
      rows={entries}
      rowKey={(entry) => entry.entry_id}
    />
  );
}

export const kindWords: Record<EntryKind, string> = {
  credit: t('Credit'),
  debit: t('Debit'),
  reserve: t('Reserved'),
  capture: t('Captured'),
  release: t('Released'),
};

export function Change({ amount }: { amount: string }) {
  return Number(amount) === 0 ? <span className="soft">–</span> : <Money amount={amount} sign bare />;
}
