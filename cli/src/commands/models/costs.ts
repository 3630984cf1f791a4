import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readText } from '../../files/read-text.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, print, printJson, printTable, tell } from '../../output.ts';

type Check = Answer<'checkBill'>;
type Difference = Check['differences'][number];

interface Options {
  from?: string;
  to?: string;
}

export function addCosts(program: Command): void {
  const costs = program.command('costs').helpCommand(false).description('check');
  costs
    .command('check')
    .description('compare the bill of a vendor with what was noted of the attempts')
    .argument('<file>', 'of OpenAI, Google, Azure, fal or Replicate, CSV or JSON; - for the standard input')
    .option('--from <day>', 'the first day of the bill; that of its first line when left out')
    .option('--to <day>', 'the last day, included; that of its last line when left out')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExits 1 where they differ. The guide of models says where vendors have such a file.',
    )
    .action(checkBill);
}

async function checkBill(file: string, { from, to }: Options, command: Command): Promise<void> {
  const request = { file: await readText(file), ...(from && { from }), ...(to && { to }) };
  const check = await withOperator((operator) => operator.checkBill(request));
  const { agreed, differences, left_out: more } = check;
  const { json } = command.optsWithGlobals();
  if (json && differences.length === 0) return printJson(check);
  if (!json) showCheck(check);
  const counts = `${agreed} agreed, ${differences.length + more} differ`;
  if (differences.length === 0) return tell(`${counts}.`);
  throw new CliError(exitCodes.failed, `The bill differs: ${counts}.`, undefined, check);
}

function showCheck({ currency, differences, unmatched, ...check }: Check): void {
  tell(`${check.format}, ${check.from} to ${check.to} (${check.time_zone}), ${currency}`);
  if (differences.length > 0) {
    printTable(columns, differences);
    print('');
    printTable(attemptColumns, differences.flatMap(attemptsOf));
  }
  for (const { model, count, amount } of unmatched)
    tell(`Nobody asked for ${model}: ${[count, amount].filter((one) => one !== null).join(', ')}`);
}

const words: Record<Difference['differs'][number], string> = {
  not_on_bill: 'not on the bill',
  not_noted: 'nothing noted',
  count: 'how many',
  amount: 'amount',
};

const columns: Column<Difference>[] = [
  { title: 'DAY', cell: ({ day }) => day },
  { title: 'MODEL', cell: (row) => row.upstream_model },
  { title: 'DIFFERS', cell: ({ differs }) => differs.map((one) => words[one]).join(', ') },
  { title: 'ON THE BILL', cell: ({ bill }) => String(bill?.count ?? '-'), align: 'right' },
  { title: 'NOTED', cell: ({ noted }) => String(noted.count), align: 'right' },
  { title: 'BILL', cell: ({ bill }) => bill?.amount ?? '-', align: 'right' },
  { title: 'COST', cell: ({ noted }) => noted.amount, align: 'right' },
  { title: 'COST UNKNOWN', cell: ({ noted }) => unknownOf(noted), align: 'right' },
];

function unknownOf({ without_cost: images, unknown_attempts: attempts }: Difference['noted']): string {
  return images + attempts === 0 ? '' : String(images + attempts);
}

type Attempt = Difference['attempts'][number] & { model: string };

function attemptsOf({ attempts, upstream_model: model }: Difference): Attempt[] {
  return attempts.map((attempt) => ({ ...attempt, model }));
}

const attemptColumns: Column<Attempt>[] = [
  { title: 'ENDED', cell: (row) => row.ended_at },
  { title: 'MODEL', cell: ({ model }) => model },
  { title: 'JOB', cell: (row) => row.job_id },
  { title: 'ATTEMPT', cell: ({ attempt }) => String(attempt), align: 'right' },
  { title: 'BILLED', cell: ({ billed }) => billed },
  { title: 'COST', cell: (row) => row.cost ?? row.possible_cost ?? '-', align: 'right' },
];
