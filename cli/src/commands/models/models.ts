import type { ModelInfo } from '@darkroom/sdk';
import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { type Column, paintStatus, print, printFacts, printJson, printTable } from '../../output.ts';

export function addModels(program: Command): void {
  program
    .command('models')
    .helpCommand(false)
    .description('what each model supports and costs')
    .option('--json', 'print one JSON object')
    .action(listModels);
}

async function listModels({ json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const models = await darkroom.models();
  if (json) return printJson(models);
  printTable(columns, models.data);
  print('');
  printFacts(models.data.map((model) => [`ratios of ${model.id}`, model.aspect_ratios.join(' ')]));
}

const columns: Column<ModelInfo>[] = [
  { title: 'MODEL', cell: (model) => model.id },
  { title: 'NAME', cell: (model) => model.name },
  { title: 'STATE', cell: (model) => paintStatus(model.paused ? 'paused' : 'active') },
  {
    title: 'PRICES',
    cell: (model) => model.resolutions.map(({ resolution, price }) => `${resolution} ${price}`).join('  '),
  },
];
