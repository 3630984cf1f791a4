import type { FailureKind } from '../providers/provider.ts';
import { type Backoff, backoffMs } from '../std/backoff.ts';
import type { AttemptFailure, JobErrorCode } from './job.ts';

/** A payload that kills its worker must not kill a fourth one. */
const maxLost = 3;
/** Overload and network failures, over all attempts. */
const maxTransient = 5;
const retryBackoff: Backoff = { firstMs: 1_000, capMs: 30_000, jitter: 0.2 };

export type RetryDecision =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'fail'; errorCode: JobErrorCode; error: string };

/**
 * What becomes of a job after an attempt failed. Pure: from all its failures, the last one newest, and the time that is
 * left until its deadline.
 */
export function decideRetry(
  failures: readonly AttemptFailure[],
  { leftMs, retryAfterMs = 0, random }: { leftMs: number; retryAfterMs?: number; random?: () => number },
): RetryDecision {
  const last = failures.at(-1);
  if (!last) throw new Error('no failure to decide about');
  const rule = rules[last.kind];
  const count = failures.filter(({ kind }) => rules[kind].counter === rule.counter).length;
  const fail: RetryDecision = { kind: 'fail', errorCode: rule.errorCode, error: rule.error ?? last.message };
  if (count >= rule.tries) return fail;
  const delayMs = last.kind === 'lost' ? 0 : Math.max(retryAfterMs, backoffMs(retryBackoff, count, random));
  if (delayMs >= leftMs) {
    return last.kind === 'lost'
      ? fail
      : { kind: 'fail', errorCode: 'timed_out', error: `${last.message} ${outOfTime}` };
  }
  return { kind: 'retry', delayMs };
}

interface Rule {
  /** Failures that are counted together. */
  counter: string;
  /** How many of them end the job. */
  tries: number;
  errorCode: JobErrorCode;
  /** Said instead of the failure's own message. */
  error?: string;
}

const outOfTime = 'There was no time left to try again. Create the job again.';
const rejected =
  'The image service refused the request for a reason that only the operator can mend. Try again later.';
const final = (errorCode: JobErrorCode): Rule => ({ counter: 'final', tries: 1, errorCode });
const transient: Rule = { counter: 'transient', tries: maxTransient, errorCode: 'provider_unavailable' };

const rules: Record<FailureKind | 'lost' | 'store', Rule> = {
  invalid_input: final('invalid_input'),
  safety_blocked: final('safety_blocked'),
  no_image: { counter: 'no_image', tries: 2, errorCode: 'no_image' },
  auth: { ...final('provider_rejected'), error: rejected },
  quota: { ...final('provider_rejected'), error: rejected },
  model_not_found: { ...final('provider_rejected'), error: rejected },
  rate_limited: transient,
  unavailable: transient,
  network: transient,
  // The upstream may have done, and charged, the work: one repetition, no more.
  timeout: { counter: 'timeout', tries: 2, errorCode: 'timed_out' },
  bad_response: { counter: 'bad_response', tries: 2, errorCode: 'provider_unavailable' },
  cancelled: final('internal'),
  store: {
    counter: 'store',
    tries: maxTransient,
    errorCode: 'internal',
    error: 'The image was made but could not be stored. Create the job again.',
  },
  lost: {
    counter: 'lost',
    tries: maxLost,
    errorCode: 'interrupted',
    error: `The process that made the image stopped ${maxLost} times. Change the request or tell the operator.`,
  },
};
