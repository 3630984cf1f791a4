import type { Batch } from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseLimit } from '../../arguments.ts';
import { connect } from '../../client.ts';
import { formatAge } from '../../format.ts';
import { type Column, paintStatus, printJson, printTable, tell } from '../../output.ts';

export function addBatchList(batch: Command): void {
  batch
    .command('list')
    .description('the newest batches of the account')
    .option('-n, --limit <number>', 'how many, 1 to 100', parseLimit, 20)
    .option('--cursor <cursor>', 'where an earlier list ended')
    .option('--json', 'print one JSON object')
    .action(listBatches);
}

interface Options {
  limit: number;
  cursor?: string;
  json?: true;
}

async function listBatches({ json, ...query }: Options): Promise<void> {
  const { batches } = await connect();
  const list = await batches.list(query);
  if (json) return printJson(list);
  if (list.data.length === 0) return tell('No batches yet. Make one: darkroom batch create requests.jsonl');
  printTable(columns, list.data);
  if (list.next_cursor !== null) tell(`More: darkroom batch list --cursor ${list.next_cursor}`);
}

const columns: Column<Batch>[] = [
  { title: 'BATCH', cell: (batch) => batch.batch_id },
  { title: 'NAME', cell: (batch) => batch.name ?? '' },
  { title: 'STATUS', cell: (batch) => paintStatus(batch.status) },
  { title: 'JOBS', cell: (batch) => String(batch.jobs), align: 'right' },
  { title: 'DONE', cell: (batch) => String(batch.counts.done), align: 'right' },
  { title: 'FAILED', cell: (batch) => String(batch.counts.failed), align: 'right' },
  { title: 'CHARGED', cell: (batch) => batch.charged, align: 'right' },
  { title: 'CREATED', cell: (batch) => formatAge(batch.created_at, Date.now()) },
];
