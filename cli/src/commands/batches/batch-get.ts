import type { Batch } from '@darkroom/sdk';
import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { formatTime } from '../../format.ts';
import { type Fact, paintStatus, printFacts, printJson } from '../../output.ts';
import { startProgress } from '../../progress.ts';
import { followBatch } from './follow-batch.ts';

export function addBatchGet(batch: Command): void {
  batch
    .command('get')
    .description('how far a batch is')
    .argument('<id>', 'id of the batch')
    .option('--wait', 'wait until all of its jobs have ended')
    .option('-q, --quiet', 'no progress')
    .option('--json', 'print the batch as one JSON object')
    .action(getBatch);
}

interface Options {
  wait?: true;
  quiet?: true;
  json?: true;
}

async function getBatch(id: string, { wait, quiet, json }: Options): Promise<void> {
  if (wait) {
    using progress = startProgress({ quiet: quiet === true || json === true });
    return followBatch(id, { progress, json: json === true });
  }
  const { batches } = await connect();
  const batch = await batches.retrieve(id);
  if (json) printJson(batch);
  else printFacts(factsOf(batch));
}

function factsOf({ batch_id, name, status, jobs, counts, price, charged, ...times }: Batch): Fact[] {
  const { queued, processing, done, failed } = counts;
  return [
    ['batch', batch_id],
    ...(name === null ? [] : [['name', name] as Fact]),
    ['status', paintStatus(status)],
    ['jobs', `${jobs}: ${done} done, ${failed} failed, ${processing} processing, ${queued} queued`],
    ['price', `${price}, of which ${charged} was charged`],
    ['created', formatTime(times.created_at)],
    ...(times.finished_at === null ? [] : [['finished', formatTime(times.finished_at)] as Fact]),
  ];
}
