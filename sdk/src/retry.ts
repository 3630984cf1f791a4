import { DarkroomError, NetworkError } from './errors.ts';
import { sleep } from './sleep.ts';

export interface RetryPolicy {
  maxRetries: number;
  /** A retry may begin within this time after the first attempt. A longer `Retry-After` is left to the caller. */
  retryForMs: number;
  /** Called before each wait. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

export interface Retry {
  error: DarkroomError | NetworkError;
  /** Counts from 1. */
  retry: number;
  delayMs: number;
}

/**
 * Repeats `attempt` while it fails with a temporary error. The request must be safe to repeat. An attempt that the server
 * answers for long calls `heard` on each sign of life, from which retries and their time then count.
 */
export async function withRetries<Result>(
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  attempt: (heard: () => void) => Promise<Result>,
  /** False if a `500` is final: the request changes something without an idempotency key; its outcome is unknown. */
  mayRepeat = true,
): Promise<Result> {
  let startMs = performance.now();
  let retry = 0;
  const heard = () => {
    startMs = performance.now();
    retry = 0;
  };
  for (;;) {
    try {
      return await attempt(heard);
    } catch (error) {
      retry += 1;
      if (!mayHeal(error, mayRepeat) || retry > policy.maxRetries) throw error;
      const delayMs = retryDelayMs(error, retry);
      if (performance.now() - startMs + delayMs > policy.retryForMs) throw error;
      policy.onRetry?.({ error, retry, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

// 409 is final, as for a job that cannot be cancelled. With Retry-After it is temporary: the first try of the same
// request is still running.
function mayHeal(error: unknown, mayRepeat: boolean): error is DarkroomError | NetworkError {
  if (error instanceof NetworkError) return true;
  if (!(error instanceof DarkroomError)) return false;
  if (error.status === 500) return mayRepeat;
  return passingStatuses.has(error.status) || (error.status === 409 && error.retryAfterMs !== null);
}

const passingStatuses = new Set([429, 502, 503, 504]);

const firstDelayMs = 250;
const longestDelayMs = 8000;
/** Each delay varies by ±20 %, so that clients that failed together do not retry together. */
const jitter = 0.2;

function retryDelayMs(error: DarkroomError | NetworkError, retry: number): number {
  const askedMs = error instanceof DarkroomError ? error.retryAfterMs : null;
  if (askedMs !== null) return askedMs;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (retry - 1)) * (1 + jitter * (2 * Math.random() - 1));
}
