import type { Statement } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useAccountId } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { linkOf } from '../api/send.ts';
import { kindWords } from '../features/money/entry-table.tsx';
import { monthName } from '../features/money/statements.tsx';
import { DownloadButton } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import classes from './statement.module.css';

export function StatementPage() {
  const { month = '' } = useParams({ strict: false }) as { month?: string }; // the path has it
  const params = { account_id: useAccountId(), month };
  const statement = useRead('GET /api/v1/statements/:month', { params });
  return (
    <Page
      title={`Statement of ${monthName(month)}`}
      actions={
        <div className={classes.actions}>
          <Button variant="default" onClick={() => window.print()}>
            Print
          </Button>
          <DownloadButton href={linkOf('GET /api/v1/statements/:month/csv', { params })}>
            Download CSV
          </DownloadButton>
        </div>
      }
    >
      <Await query={statement} wait={<TableSkeleton rows={5} />}>
        {(data) => <Sheet {...data} />}
      </Await>
    </Page>
  );
}

interface Row {
  item: string;
  entries: number | null;
  amount: string;
  isBalance: boolean;
}

function Sheet(statement: Statement) {
  const accountId = useAccountId();
  const rows: Row[] = [
    { item: 'Opening balance', entries: null, amount: statement.opening_balance, isBalance: true },
    ...statement.lines.map(({ kind, model, entries, amount }) => ({
      item: model === null ? kindWords[kind] : `${kindWords[kind]}, ${model}`,
      entries,
      amount,
      isBalance: false,
    })),
    { item: 'Closing balance', entries: null, amount: statement.closing_balance, isBalance: true },
  ];
  return (
    <div className="stack">
      <dl className={classes.parties}>
        <div>
          <dt>Issued by</dt>
          <dd>Darkroom at {location.host}</dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>
            {statement.account}
            <div className="soft tiny">
              <code>{accountId}</code>
            </div>
          </dd>
        </div>
      </dl>
      <p className="soft">
        {statement.from.slice(0, 10)} to {lastDay(statement.to)} (UTC)
        {statement.closed ? '' : '. The month is not over: more will be added.'}
      </p>
      <DataTable
        caption="Statement"
        columns={[
          { name: 'Item', cell: ({ item, isBalance }) => (isBalance ? <strong>{item}</strong> : item) },
          { name: 'Entries', align: 'end', cell: ({ entries }) => entries?.toLocaleString('en') ?? '' },
          {
            name: 'Amount',
            align: 'end',
            cell: ({ amount, isBalance }) => <Money amount={amount} sign={!isBalance} />,
          },
        ]}
        rows={rows}
        rowKey={({ item }) => item}
      />
      <p className={`${classes.digest} soft tiny`}>SHA-256 {statement.digest}</p>
    </div>
  );
}

function lastDay(endsAt: string): string {
  return new Date(Date.parse(endsAt) - 1).toISOString().slice(0, 10);
}
