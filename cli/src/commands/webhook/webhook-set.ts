import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addWebhookSet(webhook: Command): void {
  webhook
    .command('set')
    .description('set the default endpoint: where the events of an account go')
    .argument('<url>', 'http or https address')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print one JSON object')
    .action(setDefault);
}

async function setDefault(url: string, { account, json }: { account: string; json?: true }): Promise<void> {
  const { secrets, ...endpoint } = await withOperator(async (operator) => ({
    ...(await operator.replaceEndpoint(account, 'default', { url })),
    ...(await operator.revealEndpointSecret(account, 'default')),
  }));
  if (json) return printJson({ ...endpoint, secrets });
  const { cancelled_deliveries: cancelled } = endpoint;
  if (cancelled > 0) tell(`${cancelled} deliveries that waited for the old address were cancelled.`);
  tell(`Events of the account go to ${endpoint.url}, signed with this secret. Try it:`);
  tell(`  darkroom webhook test --account ${endpoint.account_id}`);
  print(secrets[0]?.secret ?? '');
}
