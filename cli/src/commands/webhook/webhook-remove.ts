import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addWebhookRemove(webhook: Command): void {
  webhook
    .command('remove')
    .description('remove an endpoint, as "webhook list" names it')
    .argument('<endpoint>', 'its id, or default')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print one JSON object')
    .action(removeEndpoint);
}

async function removeEndpoint(
  endpointId: string,
  { account, json }: { account: string; json?: true },
): Promise<void> {
  await withOperator((operator) => operator.removeEndpoint(account, endpointId));
  if (json) return printJson({ endpoint_id: endpointId });
  tell('Removed. Its waiting deliveries are cancelled:');
  tell(`  darkroom webhook deliveries --account ${account} --status cancelled`);
}
