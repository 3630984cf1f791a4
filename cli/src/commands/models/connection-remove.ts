import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { tell } from '../../output.ts';

export function addConnectionRemove(connection: Command): void {
  connection
    .command('remove')
    .description('forget a connection and its key; its routes wait until there is one of this name')
    .argument('<name>', 'as "connection list" shows it')
    .action(async (name: string) => {
      await withOperator((operator) => operator.removeConnection(name));
      tell(`${name} is gone.`);
    });
}
