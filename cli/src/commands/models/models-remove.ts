import type { Command } from 'commander';
import { parseModel } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { tell } from '../../output.ts';

export function addModelsRemove(models: Command): void {
  models
    .command('remove')
    .description('take a model out of the catalogue; its jobs and their images stay')
    .argument('<model>', 'its id', parseModel)
    .action(async (model: string) => {
      await withOperator((operator) => operator.removeModel(model));
      tell(`${model} is gone. "darkroom models apply" brings it back.`);
    });
}
