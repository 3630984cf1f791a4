import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addWebhookSet(webhook: Command): void {
  webhook
    .command('set')
    .description('where the events of an account go')
    .argument('[url]', 'http or https address')
    .requiredOption('--account <account>', 'id or name')
    .option('--remove', 'send nothing any more')
    .option('--json', 'print one JSON object')
    .action(setWebhook);
}

interface Options {
  account: string;
  remove?: true;
  json?: true;
}

async function setWebhook(
  url: string | undefined,
  { account, remove, json }: Options,
  command: Command,
): Promise<void> {
  if ((url === undefined) !== (remove === true)) command.error('error: give either a URL or --remove');
  const webhook = await withOperator((operator) => operator.setWebhook(account, { url: url ?? null }));
  if (json) return printJson(webhook);
  const { cancelled_deliveries: cancelled, secrets } = webhook;
  if (cancelled > 0) tell(`${cancelled} deliveries that waited for the old address were cancelled.`);
  if (webhook.url === null)
    return tell('The account has no webhook now. Its events can still be read: GET /events.');
  tell(`Events of the account go to ${webhook.url}, signed with this secret. Try it:`);
  tell(`  darkroom webhook test --account ${webhook.account_id}`);
  print(secrets[0]?.secret ?? '');
}
