import { WaitTimedOut } from './errors.ts';
import { sleep } from './sleep.ts';
import type { Job } from './types.ts';

export interface WaitOptions {
  /** Stops waiting, not the job. */
  signal?: AbortSignal | undefined;
  /** Called with the job as first seen and again whenever its status has changed. */
  onChange?: ((job: Job) => void) | undefined;
  /** `WaitTimedOut` after this time. Without it the wait lasts as long as the job. */
  timeoutMs?: number | undefined;
}

type GetJob = (jobId: string, options: { waitSeconds: number; signal?: AbortSignal }) => Promise<Job>;

/** The job as `done` or `failed`. Works with servers and proxies that ignore `Prefer: wait`, by polling. */
export async function waitForJob(getJob: GetJob, jobId: string, options: WaitOptions = {}): Promise<Job> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
  let seen: Job | undefined;
  let pauseMs = firstPauseMs;
  for (;;) {
    const askedMs = performance.now();
    const waitSeconds = nextWaitSeconds(seen, options, deadlineMs - askedMs);
    const job = await getJob(jobId, { waitSeconds, ...(options.signal && { signal: options.signal }) });
    if (job.status !== seen?.status) options.onChange?.(job);
    if (job.status === 'done' || job.status === 'failed') return job;
    seen = job;

    const nowMs = performance.now();
    if (nowMs >= deadlineMs) throw new WaitTimedOut(job);
    // An answer that took about as long as asked for was held back: ask again at once. Elapsed time tells it
    // everywhere; the header Preference-Applied is hidden from pages of another origin.
    const wasHeld = waitSeconds > 0 && nowMs - askedMs >= (waitSeconds * 1000) / 2;
    const wasFirstLook = waitSeconds === 0 && deadlineMs - nowMs >= 1000;
    if (wasHeld || wasFirstLook) continue;
    await sleep(Math.min(pauseMs, deadlineMs - nowMs), options.signal);
    pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth);
  }
}

/** Below the time after which common proxies give up on a silent answer. */
const longWaitSeconds = 30;
/** The server answers early only for the end of a job, so who watches must look up to see it start. */
const watchedWaitSeconds = 2;

const firstPauseMs = 500;
const longestPauseMs = 5000;
const pauseGrowth = 1.5;

function nextWaitSeconds(seen: Job | undefined, options: WaitOptions, leftMs: number): number {
  // The first look of a watcher does not wait: it is what there is to show.
  if (options.onChange !== undefined && seen === undefined) return 0;
  const watched = options.onChange !== undefined && seen?.status === 'queued';
  const wanted = watched ? watchedWaitSeconds : longWaitSeconds;
  return Math.max(0, Math.min(wanted, Math.floor(leftMs / 1000)));
}
