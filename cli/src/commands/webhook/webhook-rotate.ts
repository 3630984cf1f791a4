import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addWebhookRotate(webhook: Command): void {
  webhook
    .command('rotate')
    .description('make a new signing secret; for a day both sign')
    .requiredOption('--account <account>', 'id or name')
    .option('--endpoint <id>', 'that one instead of the default')
    .option('--leaked', 'end the old secret now')
    .option('--json', 'print one JSON object')
    .action(rotateSecret);
}

interface Options {
  account: string;
  endpoint?: string;
  leaked?: true;
  json?: true;
}

async function rotateSecret({ account, endpoint = 'default', leaked, json }: Options): Promise<void> {
  const webhook = await withOperator((operator) =>
    operator.rotateEndpointSecret(account, endpoint, leaked ? { leaked } : {}),
  );
  if (json) return printJson(webhook);
  tell(
    leaked
      ? 'The old secret no longer signs: receivers refuse deliveries until they have the new one.'
      : 'Deliveries carry the signatures of the old and the new secret for 24 hours. Bring the new one to the receiver.',
  );
  print(webhook.secrets[0]?.secret ?? '');
}
