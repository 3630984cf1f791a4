import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable } from '../../output.ts';

type ListedModel = Answer<'listModels'>[number];

export function addModelsList(models: Command): void {
  models
    .command('list')
    .description('the models of this installation, with their versions')
    .option('--json', 'print one JSON array')
    .action(listModels);
}

async function listModels(_options: object, command: Command): Promise<void> {
  const models = await withOperator((operator) => operator.listModels());
  if (command.optsWithGlobals().json) return printJson(models);
  printTable(columns, models);
}

const columns: Column<ListedModel>[] = [
  { title: 'MODEL', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'VERSION', cell: ({ version }) => String(version), align: 'right' },
  { title: 'SET BY', cell: ({ source }) => source },
  { title: 'ROUTES', cell: ({ routes }) => (routes === null ? 'by environment' : String(routes)) },
  {
    title: 'PRICES',
    cell: ({ prices }) =>
      Object.entries(prices)
        .map(([name, price]) => `${name} ${price}`)
        .join('  '),
  },
];
