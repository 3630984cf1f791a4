import { WaitTimedOut } from './errors.ts';
import type { Look } from './look-at-job.ts';
import { sleep } from './sleep.ts';
import type { Job } from './types.ts';

export interface WaitOptions {
  /** Ends the wait, not the job. */
  signal?: AbortSignal | undefined;
  /** Called with the job when the wait begins, and whenever its status changes. */
  onChange?: ((job: Job) => void) | undefined;
  /** Throws `WaitTimedOut` after this time. By default, the wait has no time limit. */
  timeoutMs?: number | undefined;
}

/**
 * Waits for the job to be `done` or `failed`. Without a stream of changes, repeats requests whose answers the server
 * delays. Polls if the server or a proxy ignores `Prefer: wait`.
 */
export async function waitForJob(
  look: (options: Look) => Promise<Job>,
  options: WaitOptions = {},
): Promise<Job> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
  let seen: Job | undefined;
  let pauseMs = firstPauseMs;
  const onJob = (job: Job) => {
    const isNews = job.status !== seen?.status;
    seen = job;
    if (isNews) options.onChange?.(job);
  };
  for (;;) {
    const askedMs = performance.now();
    const leftMs = deadlineMs - askedMs;
    const waitSeconds = nextWaitSeconds(seen, options, leftMs);
    const job = await look({ waitSeconds, leftMs, signal: options.signal, onJob });
    onJob(job);
    if (job.status === 'done' || job.status === 'failed') return job;

    const nowMs = performance.now();
    if (nowMs >= deadlineMs) throw new WaitTimedOut(job);
    // An answer that took about as long as requested shows that the server waited. The header Preference-Applied would
    // say so, but browsers hide it from other origins.
    const wasHeld = waitSeconds > 0 && nowMs - askedMs >= (waitSeconds * 1000) / 2;
    const wasFirstLook = waitSeconds === 0 && deadlineMs - nowMs >= 1000;
    if (wasHeld || wasFirstLook) continue;
    await sleep(Math.min(pauseMs, deadlineMs - nowMs), options.signal);
    pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth);
  }
}

/** The longest wait per request, shorter than the time after which common proxies drop a silent response. */
const longWaitSeconds = 30;
/** While the job is queued, with `onChange`: the server answers early only when the job ends, not when it starts. */
const watchedWaitSeconds = 2;

const firstPauseMs = 500;
const longestPauseMs = 5000;
const pauseGrowth = 1.5;

function nextWaitSeconds(seen: Job | undefined, options: WaitOptions, leftMs: number): number {
  // With `onChange`, the first request does not wait, so that the caller gets the job immediately.
  if (options.onChange !== undefined && seen === undefined) return 0;
  const watched = options.onChange !== undefined && seen?.status === 'queued';
  const wanted = watched ? watchedWaitSeconds : longWaitSeconds;
  return Math.max(0, Math.min(wanted, Math.floor(leftMs / 1000)));
}
