import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJson, tell } from '../../output.ts';

export function addJobsCancel(jobs: Command): void {
  jobs
    .command('cancel')
    .description('cancel a job that has not ended')
    .argument('<id>', 'id of the job')
    .option('--json', 'print the job as one JSON object')
    .action(cancelJob);
}

async function cancelJob(id: string, { json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const job = await darkroom.cancelJob(id);
  if (json) printJson(job);
  else tell(`Cancelled. Its price of ${job.price} was given back.`);
}
