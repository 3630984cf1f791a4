import { type Command, InvalidArgumentError } from 'commander';
import { parseModel } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { tell } from '../../output.ts';

export function addModelsRestore(models: Command): void {
  models
    .command('restore')
    .description('restore an older version of a model, even of a removed one')
    .argument('<model>', 'its id', parseModel)
    .argument('<version>', 'as "models history" shows it', parseVersion)
    .action(async (model: string, version: number) => {
      await withOperator((operator) => operator.restoreModel(model, version));
      tell(`${model} now equals version ${version}.`);
    });
}

function parseVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A version is a number, such as 3.');
}
