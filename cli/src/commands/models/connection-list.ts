import type { Command } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable } from '../../output.ts';

type ListedConnection = Answer<'listConnections'>[number];

export function addConnectionList(connection: Command): void {
  connection
    .command('list')
    .description('the connections, never their keys')
    .option('--json', 'print one JSON array')
    .action(async ({ json }: { json?: true }) => {
      const connections = await withOperator((operator) => operator.listConnections());
      if (json) return printJson(connections);
      printTable(columns, connections);
    });
}

const columns: Column<ListedConnection>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'PROVIDER', cell: ({ provider }) => provider },
  { title: 'ADDRESS', cell: ({ base_url: address }) => address ?? "the provider's own" },
  { title: 'KEY', cell: ({ key }) => (key === 'none' ? '-' : key) },
  { title: 'SET BY', cell: ({ source }) => source },
];
