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
  const costs = program.command('costs').helpCommand(false).description('check, rates, rate');
  costs
    .command('check')
    .description('compare the bill of a vendor with the recorded attempts')
    .argument('<file>', 'of OpenAI, Google, Azure, fal or Replicate, CSV or JSON; - for the standard input')
    .option('--from <day>', 'the first day of the bill; that of its first line when left out')
    .option('--to <day>', 'the last day, included; that of its last line when left out')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExits 1 if they differ. The guide about models says where vendors offer such a file.',
    )
    .action(checkBill);
  costs
    .command('rates')
    .description('the rates of providers: published ones and your own')
    .option('--json', 'print one JSON object')
    .action(listRates);
  costs
    .command('rate')
    .description('set the rate of a provider for a model, for attempts from now on')
    .argument('<provider>', 'such as openai')
    .argument('<model>', "by the provider's own name")
    .option('--text-in <amount>', 'for a million tokens of text in requests')
    .option('--image-in <amount>', 'for a million tokens of images in requests')
    .option('--text-out <amount>', 'for a million tokens of text in answers')
    .option('--image-out <amount>', 'for a million tokens of images in answers')
    .option('--image <amount>', 'for an image')
    .option('--unit <amount>', 'for a unit that the provider bills')
    .option('--credit <amount>', 'for a credit')
    .option('--published', 'return to the published rate')
    .option('--json', 'print one JSON object')
    .action(setRate);
}

type Rate = Answer<'listRates'>[number];

const units = ['text_in', 'image_in', 'text_out', 'image_out', 'image', 'unit', 'credit'] as const;

async function listRates({ json }: { json?: true }): Promise<void> {
  showRates(await withOperator((operator) => operator.listRates()), json);
}

interface RateOptions {
  textIn?: string;
  imageIn?: string;
  textOut?: string;
  imageOut?: string;
  image?: string;
  unit?: string;
  credit?: string;
  published?: true;
  json?: true;
}

async function setRate(provider: string, model: string, options: RateOptions): Promise<void> {
  const { textIn, imageIn, textOut, imageOut, image, unit, credit, published, json } = options;
  const rates = {
    ...(textIn && { text_in: textIn }),
    ...(imageIn && { image_in: imageIn }),
    ...(textOut && { text_out: textOut }),
    ...(imageOut && { image_out: imageOut }),
    ...(image && { image }),
    ...(unit && { unit }),
    ...(credit && { credit }),
  };
  if (published && Object.keys(rates).length > 0)
    throw new CliError(
      exitCodes.usage,
      '--published and amounts exclude each other.',
      'leave one of them out',
    );
  const wanted = { provider, model, rates: published ? null : rates };
  showRates(await withOperator((operator) => operator.saveRate(wanted)), json);
}

function showRates(rates: Rate[], json: true | undefined): void {
  if (json) printJson({ data: rates });
  else printTable(rateColumns, rates);
}

const rateColumns: Column<Rate>[] = [
  { title: 'PROVIDER', cell: (rate) => rate.provider },
  { title: 'MODEL', cell: (rate) => rate.model ?? 'any' },
  {
    title: 'RATES',
    cell: (rate) =>
      units.flatMap((unit) => (rate[unit] === null ? [] : [`${unit} ${rate[unit]}`])).join(', ') ||
      'as published',
  },
  { title: 'CURRENCY', cell: (rate) => rate.currency },
  { title: 'IN USE', cell: (rate) => (rate.in_use ? 'yes' : 'no') },
  {
    title: 'SAID BY',
    cell: ({ source, gateway, changed_by: by }) =>
      [gateway && `list of ${gateway},`, source ?? by].filter(Boolean).join(' '),
  },
  { title: 'ON', cell: ({ read_on: read, changed_at: at }) => read ?? at ?? '' },
];

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
    tell(`${model} had no attempts: ${[count, amount].filter((one) => one !== null).join(', ')}`);
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
