import type { Command } from 'commander';
import { formatTime } from '../../format.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { printFacts, printJson } from '../../output.ts';

type WebhookInfo = Answer<'showWebhook'>;

export function addWebhookShow(webhook: Command): void {
  webhook
    .command('show')
    .description('address, health and signing secret')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print one JSON object')
    .action(showWebhook);
}

async function showWebhook({ account, json }: { account: string; json?: true }): Promise<void> {
  const webhook = await withOperator((operator) => operator.showWebhook({ account }));
  if (json) return printJson(webhook);
  printFacts([
    ['account', webhook.account_id],
    ['url', webhook.url ?? 'none'],
    ['state', stateOf(webhook)],
    ...webhook.secrets.map(
      ({ secret, expires_at }) =>
        ['secret', expires_at === null ? secret : `${secret} until ${formatTime(expires_at)}`] as const,
    ),
  ]);
}

function stateOf({ url, disabled_at, disabled_reason, failing_since }: WebhookInfo): string {
  if (url === null) return 'no webhook';
  if (disabled_at !== null) {
    const why = disabled_reason === 'gone' ? 'it answered 410' : 'it failed for five days';
    return `disabled at ${formatTime(disabled_at)}: ${why}; set the same address again to use it`;
  }
  return failing_since === null ? 'active' : `failing since ${formatTime(failing_since)}`;
}
