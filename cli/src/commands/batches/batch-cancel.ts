import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJson, tell } from '../../output.ts';

export function addBatchCancel(batch: Command): void {
  batch
    .command('cancel')
    .description('cancel its unfinished jobs')
    .argument('<id>', 'id of the batch')
    .option('--json', 'print the batch as one JSON object')
    .action(cancelBatch);
}

async function cancelBatch(id: string, { json }: { json?: true }): Promise<void> {
  const { batches } = await connect();
  const batch = await batches.cancel(id);
  if (json) return printJson(batch);
  if (batch.status === 'done') return tell('All of its jobs have ended. Nothing was cancelled.');
  if (batch.status === 'cancelling')
    return tell(
      `Cancelling: none of its jobs begins any more. See it end with: darkroom batch get ${id} --wait`,
    );
  tell(`Cancelled. ${batch.counts.done} of ${batch.jobs} were done, and cost ${batch.charged}.`);
}
