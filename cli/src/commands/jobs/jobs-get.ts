import type { Job } from '@darkroom/sdk';
import type { Command } from 'commander';
import { connect } from '../../client.ts';
import {
  formatBytes,
  formatDuration,
  formatMake,
  formatPrompt,
  formatQueue,
  formatTime,
  tookMs,
} from '../../format.ts';
import { type Fact, paintStatus, printFacts, printJson } from '../../output.ts';

export function addJobsGet(jobs: Command): void {
  jobs
    .command('get')
    .description('one job in its current state')
    .argument('<id>', 'id of the job')
    .option('--json', 'print the job as one JSON object')
    .action(getJob);
}

async function getJob(id: string, { json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const job = await darkroom.getJob(id);
  if (json) printJson(job);
  else printFacts(factsOf(job));
}

function factsOf(job: Job): Fact[] {
  const facts: Fact[] = [
    ['job', job.job_id],
    ['status', paintStatus(job.status)],
    ['make', `${formatMake(job)}, from ${job.mode === 'url' ? 'images and text' : 'text'}`],
    ['price', job.price],
    ['created', formatTime(job.created_at)],
  ];
  if (job.queue) facts.push(['queue', formatQueue(job.queue)]);
  if (job.started_at !== null) facts.push(['started', formatTime(job.started_at)]);
  if (job.finished_at !== null)
    facts.push(['finished', `${formatTime(job.finished_at)}, after ${formatDuration(tookMs(job))}`]);
  if (job.error !== null) facts.push(['error', `${job.error} (${job.error_code})`]);
  if (job.result !== null) {
    const { width, height, media_type, bytes, image_url } = job.result;
    facts.push(['image', `${width} × ${height} ${media_type}, ${formatBytes(bytes)}`]);
    facts.push(['link', image_url ?? 'none: the image was deleted']);
  }
  facts.push(['prompt', formatPrompt(job.prompt)]);
  return facts;
}
