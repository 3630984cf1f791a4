import { resolve } from 'node:path';
import { JobFailed } from '@darkroom/sdk';
import type { Command } from 'commander';
import { chooseTarget, saveImage } from '../../files/save-image.ts';
import { followJob } from '../../follow-job.ts';
import { quoteForShell } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printJson } from '../../output.ts';
import { startProgress } from '../../progress.ts';
import { dash } from '../../standard-streams.ts';

export function addJobsWait(jobs: Command): void {
  jobs
    .command('wait')
    .description('wait for the end of a job')
    .argument('<id>', 'id of the job')
    .option(
      '-o, --output <file>',
      'save the image there; - for the standard output (default: print the link)',
    )
    .option('-q, --quiet', 'no progress')
    .option('--json', 'print the job as one JSON object')
    .action(waitForJob);
}

interface Options {
  output?: string;
  quiet?: true;
  json?: true;
}

async function waitForJob(id: string, { output, quiet, json }: Options): Promise<void> {
  const target = output === undefined ? undefined : await chooseTarget(output, { json: json === true });
  using progress = startProgress({ quiet: quiet === true || json === true });
  const comeBack = `darkroom jobs wait ${quoteForShell(id)}${output === undefined ? '' : ` -o ${quoteForShell(output)}`}`;
  const { job, darkroom } = await followJob(id, { progress, comeBack });
  if (job.status === 'failed') throw new JobFailed(job);
  if (target === undefined) return json ? printJson(job) : print(job.result?.image_url ?? '');

  const farewell = { message: 'Stopped before the image was saved.', next: `get it with: ${comeBack}` };
  const file = await interruptible(farewell, (signal) => saveImage({ darkroom, job, target }, signal));
  if (json) printJson({ ...job, file: resolve(file) });
  else if (target !== dash) print(file);
}
