import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

type Margin = Answer<'margins'>['data'][number];
type Alert = Answer<'marginAlerts'>[number];

interface Options {
  from?: string;
  to?: string;
  by: string;
}

export function addModelsMargins(models: Command): void {
  models
    .command('margins')
    .description('the margins: what clients paid, less the upstream cost of attempts')
    .option('--from <day>', 'the first day, UTC; 29 days before the last when left out')
    .option('--to <day>', 'the last day, included; today when left out')
    .option(
      '--by <groups>',
      'account, key, model, route, provider, day or month, or two of them',
      'model,day',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nCosts are those at the time of each attempt, including attempts without an image. An unknown cost counts as zero.',
    )
    .action(showMargins);
}

async function showMargins({ by, from, to }: Options, command: Command): Promise<void> {
  const query = { group_by: by, ...(from && { from }), ...(to && { to }) };
  const [margins, alerts] = await withOperator(
    async (operator) => [await operator.margins(query), await operator.marginAlerts()] as const,
  );
  if (command.optsWithGlobals().json) return printJson(margins);
  printTable(
    [
      ...groups.filter(({ of }) => margins.data.some((row) => of(row) !== undefined)).map(columnOf),
      ...figures,
    ],
    margins.data,
  );
  for (const alert of alerts) tell(sentenceOf(alert));
}

function sentenceOf({ model, alert, revenue_per_image: revenue, ...costs }: Alert): string {
  const { cost_per_image: cost, cost_before: before } = costs;
  if (alert === 'below_cost')
    return `${model} is sold below its cost since yesterday: an image brings ${revenue} and costs ${cost}.`;
  return `${model} has become dearer: an image costs ${cost} since yesterday, and ${before} in the four weeks before.`;
}

interface Group {
  title: string;
  of: (row: Margin) => string | null | undefined;
}

const groups: Group[] = [
  { title: 'MONTH', of: ({ month }) => month },
  { title: 'DAY (UTC)', of: ({ day }) => day },
  { title: 'ACCOUNT', of: ({ account_id: id, account }) => account ?? id },
  { title: 'KEY', of: ({ key_id: id, key }) => key ?? id },
  { title: 'MODEL', of: ({ model }) => model },
  { title: 'ROUTE', of: ({ route }) => route },
  { title: 'PROVIDER', of: ({ provider }) => provider },
];

function columnOf({ title, of }: Group): Column<Margin> {
  return { title, cell: (row) => of(row) || '-' };
}

const figures: Column<Margin>[] = [
  { title: 'IMAGES', cell: ({ images }) => String(images), align: 'right' },
  { title: 'REVENUE', cell: ({ revenue }) => revenue, align: 'right' },
  { title: 'COST', cell: ({ cost }) => cost ?? '-', align: 'right' },
  { title: 'OF IT WITHOUT REVENUE', cell: (row) => row.cost_without_revenue, align: 'right' },
  { title: 'MARGIN', cell: ({ margin }) => margin ?? '-', align: 'right' },
  {
    title: 'COST UNKNOWN',
    cell: ({ images_without_cost: images, unknown_attempts: attempts }) =>
      images + attempts === 0 ? '' : String(images + attempts),
    align: 'right',
  },
];
