import type { Command } from 'commander';
import { parseModel } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';
import { everything, nameOfScope, pauseScopes } from './pause-scope.ts';

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('end a pause')
    .argument('[scope]', pauseScopes, parseModel)
    .option('--json', 'print one JSON object')
    .action(resume);
}

async function resume(scope = everything, { json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.resume(scope));
  if (json) return printJson({ scope, paused: false });
  tell(
    scope === everything
      ? 'The installation is not paused. A single model or account may be paused.'
      : `${nameOfScope(scope)} is not paused.`,
  );
}
