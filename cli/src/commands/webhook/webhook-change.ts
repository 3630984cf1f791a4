import type { Command } from 'commander';
import { type EventType, filterOf, parseEvents } from '../../event-types.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';
import { addBucketOptions, type BucketOptions, credentialsOf } from './bucket-options.ts';
import { stateOf } from './webhook-list.ts';

export function addWebhookChange(webhook: Command): void {
  const change = webhook
    .command('change')
    .description('change an endpoint, as "webhook list" names it')
    .argument('<endpoint>', 'its id, or default')
    .requiredOption('--account <account>', 'id or name')
    .option('--url <url>', 'send there instead; waiting deliveries are cancelled')
    .option(
      '--events <types>',
      'only these events, such as job.failed, or all: every end of a job',
      parseEvents,
    )
    .option('--enable', 'send again')
    .option('--disable', 'send nothing; waiting deliveries are cancelled')
    .option('--json', 'print one JSON object');
  addBucketOptions(change).action(changeEndpoint);
}

interface Options extends BucketOptions {
  account: string;
  url?: string;
  events?: EventType[] | 'all';
  enable?: true;
  disable?: true;
  json?: true;
}

async function changeEndpoint(
  endpointId: string,
  { account, url, events, enable, disable, json, ...bucket }: Options,
  command: Command,
): Promise<void> {
  if (enable && disable) command.error('error: give either --enable or --disable');
  const credentials = await credentialsOf(bucket, command);
  const endpoint = await withOperator((operator) =>
    operator.changeEndpoint(account, endpointId, {
      ...(url !== undefined && { url }),
      ...filterOf(events),
      ...credentials,
      ...((enable || disable) && { enabled: enable === true }),
    }),
  );
  if (json) return printJson(endpoint);
  const { cancelled_deliveries: cancelled, events: wanted } = endpoint;
  if (cancelled > 0) tell(`${cancelled} deliveries that waited were cancelled.`);
  tell(`${endpoint.url}: ${wanted?.join(', ') ?? 'every end of a job'}; ${stateOf(endpoint)}.`);
}
