import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addConnectionCheck(connection: Command): void {
  connection
    .command('check')
    .description('ask the provider whether it accepts our key; makes no image and costs nothing')
    .argument('<name>', 'as "connection list" shows it')
    .option('--json', 'print one JSON object')
    .action(check);
}

async function check(name: string, { json }: { json?: true }): Promise<void> {
  const health = await withOperator((operator) => operator.checkConnection(name));
  if (!health.ok) throw new CliError(exitCodes.failed, `${name}: ${health.detail}`, undefined, health);
  if (json) return printJson(health);
  tell(`${name} works.`);
  for (const { id } of health.models) print(id);
}
