import type { Command } from 'commander';
import { parseModel } from '../../arguments.ts';
import { formatTime } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printJson, printLine } from '../../output.ts';

export function addModelsHistory(models: Command): void {
  models
    .command('history')
    .description('every version of a model: its author and its changes')
    .argument('<model>', 'its id', parseModel)
    .action(showHistory);
}

async function showHistory(model: string, _options: object, command: Command): Promise<void> {
  const versions = await withOperator((operator) => operator.modelHistory(model));
  if (command.optsWithGlobals().json) return printJson(versions);
  for (const { version, at, by, removed, changes } of versions) {
    printLine(`${version}  ${formatTime(at)}  ${by}${removed ? ', removed' : ''}`);
    for (const [path, change] of Object.entries(changes)) printLine(`    ${path}: ${change}`);
  }
}
