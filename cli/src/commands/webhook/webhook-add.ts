import type { Command } from 'commander';
import { type EventType, filterOf, parseEvents } from '../../event-types.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';
import { addBucketOptions, type BucketOptions, credentialsOf } from './bucket-options.ts';

export function addWebhookAdd(webhook: Command): void {
  const add = webhook
    .command('add')
    .description(
      'send the events of an account to an address, or copy its results to a bucket; the first is the default one',
    )
    .argument('<url>', 'http or https address, or s3://bucket/prefix?region=…')
    .requiredOption('--account <account>', 'id or name')
    .option(
      '--events <types>',
      'only these events, such as job.failed (default: all: every end of a job)',
      parseEvents,
    )
    .option('--json', 'print one JSON object');
  addBucketOptions(add).action(addEndpoint);
}

interface Options extends BucketOptions {
  account: string;
  events?: EventType[] | 'all';
  json?: true;
}

async function addEndpoint(
  url: string,
  { account, events, json, ...bucket }: Options,
  command: Command,
): Promise<void> {
  const credentials = await credentialsOf(bucket, command);
  const endpoint = await withOperator((operator) =>
    operator.addEndpoint(account, { url, ...filterOf(events), ...credentials }),
  );
  if (json) return printJson(endpoint);
  tell(
    endpoint.secret
      ? `Events of the account go to ${endpoint.url}, signed with this secret. Try it:`
      : `The image of every job that is done is copied to ${endpoint.url}. Try it:`,
  );
  tell(`  darkroom webhook test --account ${endpoint.account_id} --endpoint ${endpoint.endpoint_id}`);
  if (endpoint.secret) print(endpoint.secret);
}
