import type { BatchRequest } from '@darkroom/sdk';
import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printFacts, printJson } from '../../output.ts';
import { noteRetry, startProgress } from '../../progress.ts';
import { followBatch } from './follow-batch.ts';
import { readRequests } from './read-requests.ts';

export function addBatchCreate(batch: Command): void {
  batch
    .command('create')
    .description('create up to 10,000 images at once: all are accepted, or none')
    .argument('<file>', 'one request on each line, as JSON; - for the standard input')
    .option('--dry-run', 'only show the price, and whether it would be accepted')
    .option('--wait', 'wait until all jobs have ended')
    .option('--idempotency-key <key>', 'the same key and requests again give the same batch')
    .option('--name <name>', 'your name for it, shown in lists of batches')
    .option('--callback-url <url>', 'webhook for the end of the batch')
    .option('-q, --quiet', 'no progress')
    .option('--json', 'print the batch as one JSON object')
    .addHelpText('after', examples)
    .action(createBatch);
}

const examples = `
A line: {"model": "nb", "mode": "text", "body": {"prompt": "a red fox", "aspect_ratio": "1:1"}}

Examples:
  darkroom batch create requests.jsonl
  jq -Rc '{model: "nb2", mode: "text", body: {prompt: ., aspect_ratio: "1:1"}}' prompts.txt |
    darkroom batch create - --wait

The id of the batch goes to stdout. Ctrl-C stops the waiting, not the batch.`;

interface Options {
  dryRun?: true;
  wait?: true;
  idempotencyKey?: string;
  name?: string;
  callbackUrl?: string;
  quiet?: true;
  json?: true;
}

async function createBatch(file: string, { dryRun, wait, quiet, json, ...given }: Options): Promise<void> {
  const requests = await readRequests(file);
  if (dryRun) return quote(requests, json === true);
  using progress = startProgress({ quiet: quiet === true || json === true });
  const { batches } = await connect({ onRetry: noteRetry(progress) });
  progress.show('sending');
  const farewell = {
    message: 'Stopped before the server answered. It may have accepted the batch.',
    next: 'look for it with: darkroom batch list',
  };
  const created = await interruptible(farewell, (signal) => batches.create(requests, { ...given, signal }));
  if (wait) return followBatch(created.batch_id, { progress, json: json === true });
  progress.finish(`accepted ${created.jobs}  cost at most ${created.price}`);
  if (json) printJson(created);
  else print(created.batch_id);
}

async function quote(requests: readonly BatchRequest[], json: boolean): Promise<void> {
  const { batches } = await connect();
  const quoted = await batches.quote(requests);
  if (json) return printJson(quoted);
  const { jobs, price, accepted, reasons } = quoted;
  printFacts([
    ['jobs', String(jobs)],
    ['price', `${price} together`],
    ['accepted', accepted ? 'yes' : `no: ${reasons.join(', ')}`],
  ]);
}
