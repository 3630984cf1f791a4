import type { Command } from 'commander';
import { type EventType, filterOf, parseEvents } from '../../event-types.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addWebhookAdd(webhook: Command): void {
  webhook
    .command('add')
    .description('send the events of an account to one more address')
    .argument('<url>', 'http or https address')
    .requiredOption('--account <account>', 'id or name')
    .option('--events <types>', 'only those, such as job.failed (default: all)', parseEvents)
    .option('--json', 'print one JSON object')
    .action(addEndpoint);
}

interface Options {
  account: string;
  events?: EventType[] | 'all';
  json?: true;
}

async function addEndpoint(url: string, { account, events, json }: Options): Promise<void> {
  const endpoint = await withOperator((operator) =>
    operator.addEndpoint(account, { url, ...filterOf(events) }),
  );
  if (json) return printJson(endpoint);
  tell(`Events of the account also go to ${endpoint.url}, signed with this secret. Try it:`);
  tell(`  darkroom webhook test --account ${endpoint.account_id} --endpoint ${endpoint.endpoint_id}`);
  print(endpoint.secrets[0]?.secret ?? '');
}
