import type { Command } from 'commander';
import { addConnectionAdd } from './connection-add.ts';
import { addConnectionCheck } from './connection-check.ts';
import { addConnectionList } from './connection-list.ts';
import { addConnectionRemove } from './connection-remove.ts';

export function addConnection(program: Command): void {
  const connection = program
    .command('connection')
    .helpCommand(false)
    .description('add, list, check, remove providers');
  addConnectionAdd(connection);
  addConnectionList(connection);
  addConnectionCheck(connection);
  addConnectionRemove(connection);
}
