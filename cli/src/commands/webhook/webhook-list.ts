import type { Command } from 'commander';
import { formatTime } from '../../format.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

type EndpointInfo = Answer<'listEndpoints'>[number];

export function addWebhookList(webhook: Command): void {
  webhook
    .command('list')
    .description('every endpoint of an account: where its events go')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print one JSON object')
    .action(listEndpoints);
}

async function listEndpoints({ account, json }: { account: string; json?: true }): Promise<void> {
  const endpoints = await withOperator((operator) => operator.listEndpoints(account));
  if (json) return printJson({ endpoints });
  if (endpoints.length === 0) return tell('No endpoints. Add one: darkroom webhook add URL --account …');
  printTable(columns, endpoints);
}

const columns: Column<EndpointInfo>[] = [
  { title: 'ENDPOINT', cell: ({ endpoint_id: id }) => id },
  { title: 'EVENTS', cell: ({ events }) => events?.join(', ') ?? 'all' },
  { title: 'STATE', cell: stateOf },
  { title: 'URL', cell: ({ url }) => url },
  { title: '', cell: ({ is_default: isDefault }) => (isDefault ? 'default' : '') },
];

export function stateOf({
  disabled_at,
  disabled_reason,
  failing_since,
}: Pick<EndpointInfo, 'disabled_at' | 'disabled_reason' | 'failing_since'>): string {
  if (disabled_at !== null)
    return `disabled at ${formatTime(disabled_at)}: ${whys[disabled_reason ?? 'manual']}`;
  return failing_since === null ? 'active' : `failing since ${formatTime(failing_since)}`;
}

const whys: Record<NonNullable<EndpointInfo['disabled_reason']>, string> = {
  gone: 'it answered 410; `webhook change ENDPOINT --enable` uses it again',
  failing: 'it failed for five days; `webhook change ENDPOINT --enable` uses it again',
  manual: 'somebody disabled it',
};
