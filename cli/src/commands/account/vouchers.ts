import type { Command } from 'commander';
import { parseDurationMs, parseWhole } from '../../arguments.ts';
import { formatAge } from '../../format.ts';
import { type Answer, allPages, withOperator } from '../../operator.ts';
import { type Column, paintStatus, print, printJson, printTable, tell } from '../../output.ts';

export function addVoucher(program: Command): void {
  const voucher = program
    .command('voucher')
    .helpCommand(false)
    .description('create, list, withdraw codes that accounts redeem for credit');
  voucher
    .command('create')
    .description('make codes, one a line; they are shown this once')
    .argument('<amount>', 'what each is worth, such as 10 or 0.50')
    .argument('<count>', 'how many', parseWhole)
    .option('--name <text>', 'for operators')
    .option('--uses <count>', 'how many accounts may redeem each (default: 1)', parseWhole)
    .option('--expires <duration>', 'such as 90d (default: never)', parseDurationMs)
    .option('--csv', 'print a table for printing: code, amount, end')
    .option('--json', 'print one JSON object')
    .action(createVouchers);
  voucher
    .command('list')
    .description('the batches of codes, and how often they were redeemed')
    .option('--json', 'print one JSON object')
    .action(listVouchers);
  voucher
    .command('withdraw')
    .description('stop the codes of a batch from working; redeemed ones stay')
    .argument('<batch>', 'its id')
    .option('--json', 'print one JSON object')
    .action(withdrawVouchers);
}

interface CreateOptions {
  name?: string;
  uses?: number;
  expires?: number;
  csv?: true;
  json?: true;
}

async function createVouchers(
  amount: string,
  count: number,
  { expires, csv, json, ...more }: CreateOptions,
): Promise<void> {
  const ends = expires !== undefined && { expires_at: new Date(Date.now() + expires).toISOString() };
  const made = await withOperator((operator) => operator.createVouchers({ amount, count, ...more, ...ends }));
  if (json) return printJson(made);
  tell(
    `${made.count} ${made.count === 1 ? 'voucher' : 'vouchers'} of ${made.amount}, batch ${made.voucher_batch_id}. The codes cannot be shown again: keep them now.`,
  );
  if (csv) print('code,amount,expires_at');
  for (const code of made.codes) print(csv ? `${code},${made.amount},${made.expires_at ?? ''}` : code);
}

async function listVouchers({ json }: { json?: true }): Promise<void> {
  const batches = await withOperator((operator) => allPages((page) => operator.listVouchers(page)));
  if (json) return printJson({ data: batches });
  if (batches.length === 0) return tell('No vouchers yet. Make some: darkroom voucher create 10 100');
  printTable(columns, batches);
}

async function withdrawVouchers(batch: string, { json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.withdrawVouchers(batch));
  if (json) printJson({ voucher_batch_id: batch, withdrawn: true });
  else tell('These vouchers are withdrawn.');
}

type Batch = Answer<'listVouchers'>['data'][number];

const columns: Column<Batch>[] = [
  { title: 'BATCH', cell: (batch) => batch.voucher_batch_id },
  { title: 'NAME', cell: (batch) => batch.name ?? '' },
  { title: 'AMOUNT', cell: (batch) => batch.amount, align: 'right' },
  { title: 'CODES', cell: (batch) => String(batch.count), align: 'right' },
  { title: 'USES', cell: (batch) => String(batch.uses), align: 'right' },
  { title: 'REDEEMED', cell: (batch) => String(batch.redeemed), align: 'right' },
  { title: 'STATE', cell: (batch) => paintStatus(stateOf(batch)) },
  { title: 'MADE', cell: (batch) => formatAge(batch.created_at, Date.now()) },
];

function stateOf({ withdrawn_at, expires_at }: Batch): string {
  if (withdrawn_at !== null) return 'withdrawn';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
