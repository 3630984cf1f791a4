import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, print, printJson, printTable, tell } from '../../output.ts';
import { printStatement } from './account-statement.ts';

type Day = Answer<'owed'>['data'][number];

interface Options {
  from?: string;
  to?: string;
  csv?: true;
  json?: true;
}

export function addOwed(program: Command): void {
  program
    .command('owed')
    .description('show the sum of all balances by day, or the statement of a month')
    .argument('[month]', 'a month in UTC, such as 2026-10: what was sold, given, refunded and captured')
    .option('--from <day>', 'the first day, UTC; 29 days before the last when left out')
    .option('--to <day>', 'the last day, included; today when left out')
    .option('--csv', 'print a table for a spreadsheet')
    .option('--json', 'print one JSON object')
    .action((month: string | undefined, options: Options) =>
      month === undefined ? showDays(options) : showMonth(month, options),
    );
}

async function showMonth(month: string, { csv, json }: Options): Promise<void> {
  if (csv && !json)
    return print(await withOperator((operator) => operator.installationStatementTable(month)));
  const statement = await withOperator((operator) => operator.readInstallationStatement(month));
  if (json) return printJson(statement);
  printStatement('All accounts', statement);
}

async function showDays({ from, to, csv, json }: Options): Promise<void> {
  const query = { ...(from && { from }), ...(to && { to }) };
  if (csv && !json) return print(await withOperator((operator) => operator.owedTable(query)));
  const owed = await withOperator((operator) => operator.owed(query));
  if (json) return printJson(owed);
  printTable(columns, owed.data);
  if (Number(owed.erased) > 0) tell(`Erased accounts had ${owed.erased} of what is owed now.`);
}

const columns: Column<Day>[] = [
  { title: 'DAY (UTC)', cell: ({ day }) => day },
  { title: 'SOLD', cell: ({ sold }) => sold, align: 'right' },
  { title: 'VOUCHERS', cell: ({ voucher }) => voucher, align: 'right' },
  { title: 'GIVEN', cell: ({ given }) => given, align: 'right' },
  { title: 'REFUNDED', cell: ({ refunded }) => refunded, align: 'right' },
  { title: 'TAKEN', cell: ({ taken }) => taken, align: 'right' },
  { title: 'CAPTURED', cell: ({ captured }) => captured, align: 'right' },
  { title: 'OWED', cell: ({ owed }) => owed, align: 'right' },
];
