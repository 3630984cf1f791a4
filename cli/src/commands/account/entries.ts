import type { Entry, EntryKind } from '@darkroom/sdk';
import { type Command, Option } from 'commander';
import { parseLimit } from '../../arguments.ts';
import { connect } from '../../client.ts';
import { formatAge } from '../../format.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

const kinds = ['credit', 'debit', 'reserve', 'capture', 'release'] as const satisfies EntryKind[];

export function addEntries(program: Command): void {
  program
    .command('entries')
    .description('every change of the balance, newest first')
    .addOption(new Option('-k, --kind <kind>', 'only these').choices(kinds))
    .option('-n, --limit <number>', 'how many, 1 to 100', parseLimit, 20)
    .option('--cursor <cursor>', 'where an earlier list ended')
    .option('--json', 'print one JSON object')
    .action(listEntries);
}

interface Options {
  kind?: EntryKind;
  limit: number;
  cursor?: string;
  json?: true;
}

async function listEntries({ json, ...query }: Options): Promise<void> {
  const darkroom = await connect();
  const list = await darkroom.listEntries(query);
  if (json) return printJson(list);
  if (list.data.length === 0) return tell('No entries.');
  printTable(columns, list.data);
  if (list.next_cursor !== null) tell(`More: darkroom entries --cursor ${list.next_cursor}`);
}

const columns: Column<Entry>[] = [
  { title: 'KIND', cell: (entry) => entry.kind },
  { title: 'AMOUNT', cell: (entry) => entry.amount, align: 'right' },
  { title: 'BALANCE', cell: (entry) => entry.balance_after ?? '', align: 'right' },
  { title: 'RESERVED', cell: (entry) => entry.reserved_after ?? '', align: 'right' },
  { title: 'WRITTEN', cell: (entry) => formatAge(entry.created_at, Date.now()) },
  { title: 'FOR', cell: (entry) => entry.job_id ?? entry.reason ?? '' },
];
