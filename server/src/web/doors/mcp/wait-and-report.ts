import Type from 'typebox';
import { waitForJob } from '../../../jobs/get-job.ts';
import type { Job } from '../../../jobs/job.ts';
import type { DoorDeps } from '../door-deps.ts';
import type { ToolCall } from './tool.ts';

/** The longest wait, below the 60 s after which official clients give up. The job continues, and `get_job` finds it. */
export const maxToolWaitMs = 50_000;
const reportEveryMs = 2_000;

export function waitSeconds(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: maxToolWaitMs / 1000, description }));
}

/** Waits until the job ends, `waitMs` have passed, the client disconnects or the server drains. */
export async function waitAndReport(
  deps: Pick<DoorDeps, 'readJob' | 'signals' | 'closing'>,
  { key, signal: left, report }: ToolCall,
  { jobId, waitMs }: { jobId: string; waitMs: number },
): Promise<Job> {
  const wanted = { accountId: key.accountId, jobId, signal: AbortSignal.any([left, deps.closing]) };
  const startedAt = performance.now();
  if (waitMs > 0) await report(0, `Image ${jobId} is being made`);
  for (let waitedMs = 0; ; ) {
    const job = await waitForJob(deps, { ...wanted, waitMs: Math.min(reportEveryMs, waitMs - waitedMs) });
    if (job.status === 'done' || job.status === 'failed') return job;
    waitedMs = performance.now() - startedAt;
    if (waitedMs >= waitMs || wanted.signal.aborted) return job;
    const seconds = Math.round(waitedMs / 1000);
    const words = job.status === 'queued' ? 'Waiting for its turn' : 'The image is being made';
    await report(waitedMs / 1000, `${words} (${seconds} s)`);
  }
}
