import type { Darkroom, Job } from '@darkroom/sdk';
import { connect } from './client.ts';
import { formatBytes, formatDuration, formatMake, tookMs } from './format.ts';
import { interruptible } from './interruptible.ts';
import { noteRetry, type Progress } from './progress.ts';

/** `comeBack` is the command that resumes the wait. */
export async function followJob(
  jobId: string,
  { progress, comeBack }: { progress: Progress; comeBack: string },
): Promise<{ job: Job; darkroom: Darkroom }> {
  const darkroom = await connect({
    patient: true,
    onRetry: noteRetry(progress),
  });
  const farewell = {
    message: 'Stopped waiting. The job continues on the server.',
    next: `come back with: ${comeBack}`,
  };
  const job = await interruptible(farewell, (signal) =>
    darkroom.waitForJob(jobId, {
      signal,
      onChange: (changed) => {
        if (changed.finished_at !== null) return;
        progress.show(changed.status, `${formatMake(changed)}  cost ${changed.price}`);
      },
    }),
  );
  if (job.result !== null) {
    const { width, height, bytes } = job.result;
    const took = formatDuration(tookMs(job));
    progress.finish(`done in ${took}  ${width} × ${height}  ${formatBytes(bytes)}  cost ${job.price}`);
  }
  return { job, darkroom };
}
