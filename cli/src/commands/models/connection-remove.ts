import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { tell } from '../../output.ts';

export function addConnectionRemove(connection: Command): void {
  connection
    .command('remove')
    .description('remove a connection and its key; its routes wait for another with its name')
    .argument('<name>', 'as "connection list" shows it')
    .action(async (name: string) => {
      await withOperator((operator) => operator.removeConnection(name));
      tell(`${name} is gone.`);
    });
}
