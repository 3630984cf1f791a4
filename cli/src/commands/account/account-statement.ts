import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, print, printJson, printTable, tell } from '../../output.ts';

type Statement = Omit<Answer<'readStatement'>, 'lines'> & { lines: Row[] };

export function addAccountStatement(account: Command): void {
  account
    .command('statement')
    .description('show a month of an account: balances, credits, and captures by model')
    .argument('<account>', 'id or name')
    .argument('<month>', 'of UTC, such as 2026-10')
    .option('--csv', 'print a table for a spreadsheet')
    .option('--json', 'print one JSON object')
    .action((name: string, month: string, options: { csv?: true; json?: true }) =>
      showStatement(name, month, options),
    );
}

async function showStatement(
  account: string,
  month: string,
  { csv, json }: { csv?: true; json?: true },
): Promise<void> {
  if (csv && !json) return print(await withOperator((operator) => operator.statementTable(account, month)));
  const statement = await withOperator((operator) => operator.readStatement(account, month));
  if (json) return printJson(statement);
  printStatement(statement.account, statement);
}

export function printStatement(whose: string, statement: Omit<Statement, 'account_id' | 'account'>): void {
  const { month, closed, currency } = statement;
  tell(`${whose}, ${month}${closed ? '' : ' (not over yet)'}, ${currency}`);
  const balance = (kind: string, amount: string) => ({ kind, model: null, entries: null, amount });
  printTable(columns, [
    balance('opening balance', statement.opening_balance),
    ...statement.lines,
    balance('closing balance', statement.closing_balance),
  ]);
}

interface Row {
  kind: string;
  model: string | null;
  entries: number | null;
  amount: string;
}

const columns: Column<Row>[] = [
  { title: 'ITEM', cell: ({ kind }) => kind },
  { title: 'MODEL', cell: ({ model }) => model ?? '' },
  { title: 'ENTRIES', cell: ({ entries }) => (entries === null ? '' : String(entries)), align: 'right' },
  { title: 'AMOUNT', cell: ({ amount }) => amount, align: 'right' },
];
