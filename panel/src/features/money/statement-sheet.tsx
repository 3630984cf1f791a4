import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { number, utcDay } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { brand } from '../../ui/brand/brand.tsx';
import { DownloadButton } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { modelName } from '../jobs/job-words.ts';
import classes from './statement-sheet.module.css';

interface Month {
  from: string;
  to: string;
  closed: boolean;
  opening_balance: string;
  lines: { kind: string; model: string | null; entries: number; amount: string }[];
  closing_balance: string;
  digest: string;
}

interface Row {
  item: string;
  entries: number | null;
  amount: string;
  isBalance: boolean;
}

export function StatementActions({ csv }: { csv: string }) {
  return (
    <div className={classes.actions}>
      <Button variant="default" onClick={() => window.print()}>
        Print
      </Button>
      <DownloadButton href={csv}>Download CSV</DownloadButton>
    </div>
  );
}

/** A printable statement. `account` is its owner, and `words` has the names for kinds of lines. */
export function StatementSheet(props: {
  statement: Month;
  account: ReactNode;
  words: Record<string, string>;
}) {
  const { statement, words } = props;
  const rows: Row[] = [
    { item: t('Opening balance'), entries: null, amount: statement.opening_balance, isBalance: true },
    ...statement.lines.map(({ kind, model, entries, amount }) => ({
      item: [words[kind] ?? kind, ...(model === null ? [] : [modelName(model)])].join(', '),
      entries,
      amount,
      isBalance: false,
    })),
    { item: t('Closing balance'), entries: null, amount: statement.closing_balance, isBalance: true },
  ];
  return (
    <div className="stack">
      <dl className={classes.parties}>
        <div>
          <dt>Issued by</dt>
          <dd>
            {brand.name} at {location.host}
            {brand.support_email && `, ${brand.support_email}`}
          </dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>{props.account}</dd>
        </div>
      </dl>
      <p className="soft">
        {statement.closed
          ? `${utcDay(statement.from)} to ${lastDay(statement.to)} (UTC)`
          : `${utcDay(statement.from)} to ${lastDay(statement.to)} (UTC). The month is not over: more will be added.`}
      </p>
      <DataTable
        caption="Statement"
        columns={[
          { name: t('Item'), cell: ({ item, isBalance }) => (isBalance ? <strong>{item}</strong> : item) },
          {
            name: t('Entries'),
            align: 'end',
            cell: ({ entries }) => (entries === null ? '' : number(entries)),
          },
          {
            name: t('Amount'),
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
  return utcDay(new Date(Date.parse(endsAt) - 1).toISOString());
}
