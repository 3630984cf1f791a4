import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable } from '../../output.ts';

type Models = Answer<'margins'>;
type Row = Models[number]['days'][number] & { model: string };

export function addModelsMargins(models: Command): void {
  models
    .command('margins')
    .description(
      'what each model earned on each of the last seven days: what was paid, less what images cost',
    )
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      '\nCosts are those that routes had when the images were made. Images without a known cost are no part of a margin.',
    )
    .action(showMargins);
}

async function showMargins(_options: object, command: Command): Promise<void> {
  const models = await withOperator((operator) => operator.margins());
  if (command.optsWithGlobals().json) return printJson(models);
  printTable(
    columns,
    models.flatMap(({ model, days }) => days.map((day) => ({ model, ...day }))),
  );
}

const columns: Column<Row>[] = [
  { title: 'MODEL', cell: ({ model }) => model },
  { title: 'DAY (UTC)', cell: ({ day }) => day },
  { title: 'IMAGES', cell: ({ images }) => String(images), align: 'right' },
  { title: 'PAID', cell: ({ paid }) => paid, align: 'right' },
  { title: 'COST', cell: ({ cost }) => cost ?? '-', align: 'right' },
  { title: 'MARGIN', cell: ({ margin }) => margin ?? '-', align: 'right' },
  {
    title: 'COST UNKNOWN',
    cell: ({ without_cost: count }) => (count === 0 ? '' : String(count)),
    align: 'right',
  },
];
