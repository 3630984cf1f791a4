import type { ModelId } from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseModel } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('end a pause')
    .argument('[model]', 'nb, nb2 or pro (default: the pause of the whole installation)', parseModel)
    .option('--json', 'print one JSON object')
    .action(resume);
}

async function resume(model: ModelId | undefined, { json }: { json?: true }): Promise<void> {
  const scope = model ?? 'project';
  await withOperator((operator) => operator.resume(scope));
  if (json) return printJson({ scope, paused: false });
  tell(
    model === undefined
      ? 'The installation is not paused. A single model may be paused.'
      : `Model ${model} is not paused.`,
  );
}
