import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson } from '../../output.ts';

export function addModelsExport(models: Command): void {
  models
    .command('export')
    .description('print all models as JSON, as "models apply" and the configuration file take them')
    .action(async () => printJson(await withOperator((operator) => operator.exportModels())));
}
