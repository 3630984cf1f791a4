import type { Command } from 'commander';
import { formatTime } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printFacts, printJson } from '../../output.ts';
import { stateOf } from './webhook-endpoints.ts';

export function addWebhookShow(webhook: Command): void {
  webhook
    .command('show')
    .description('address, health and signing secret')
    .requiredOption('--account <account>', 'id or name')
    .option('--endpoint <id>', 'that one instead of the default')
    .option('--json', 'print one JSON object')
    .action(showWebhook);
}

interface Options {
  account: string;
  endpoint?: string;
  json?: true;
}

async function showWebhook({ account, endpoint, json }: Options): Promise<void> {
  const webhook = await withOperator((operator) =>
    operator.showWebhook(account, endpoint === undefined ? {} : { endpoint_id: endpoint }),
  );
  if (json) return printJson(webhook);
  printFacts([
    ['account', webhook.account_id],
    ['url', webhook.url ?? 'none'],
    ['events', webhook.events?.join(', ') ?? 'all'],
    ['state', stateOf(webhook)],
    ...webhook.secrets.map(
      ({ secret, expires_at }) =>
        ['secret', expires_at === null ? secret : `${secret} until ${formatTime(expires_at)}`] as const,
    ),
  ]);
}
