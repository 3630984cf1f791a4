import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../base/std/backoff.ts';
import { abortFailure } from './failure.ts';
import { type FailureKind, ProviderError } from './provider.ts';

export interface Question<Told, Result> {
  /** Reads the state. A failed read is retried, because it says nothing about the work upstream. */
  ask(): Promise<Told>;
  /** Returns undefined while the work continues. An error ends the request. */
  read(told: Told): Result | undefined;
  /** The time between two polls, and the first step of the back-off. */
  intervalMs: number;
  signal: AbortSignal;
}

/** One poll per second neither burdens the upstream nor delays the job, because images take seconds to minutes. */
export const defaultPollMs = 1000;
/** A short time, because nothing depends on the success of a cancel. */
export const cancelTimeoutMs = 10_000;
/** The maximum number of failed polls in a row. A busy upstream may refuse some while the paid work continues. */
const maxFailuresInARow = 5;
/** The longest pause before a failed poll is retried, even if the usual interval is longer. */
const longestRetryMs = 15_000;
const askedAgain = new Set<FailureKind>([
  'rate_limited',
  'unavailable',
  'network',
  'timeout',
  'bad_response',
]);
/** Failures that end the polling but not the request upstream. */
const standing = new Set<FailureKind>([...askedAgain, 'cancelled', 'auth', 'quota']);

/** Polls until there is a result. If it stops while the request is still running upstream, the error is `resumable`. */
export async function poll<Told, Result>({
  ask,
  read,
  intervalMs,
  signal,
}: Question<Told, Result>): Promise<Result> {
  let failures = 0;
  for (;;) {
    let waitMs = intervalMs;
    const told = await ask().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ('value' in told) {
      const result = read(told.value);
      if (result !== undefined) return result;
      failures = 0;
    } else {
      const { error } = told;
      failures += 1;
      if (!(error instanceof ProviderError)) throw error;
      if (!askedAgain.has(error.kind) || signal.aborted || failures >= maxFailuresInARow)
        throw stillStanding(error);
      waitMs =
        error.retryAfterMs ??
        backoffMs({ firstMs: intervalMs, capMs: longestRetryMs, jitter: 0.2 }, failures);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {
      throw abortFailure(signal, { resumable: true });
    });
  }
}

function stillStanding(error: ProviderError): ProviderError {
  if (!standing.has(error.kind)) return error;
  const { retryAfterMs, detail, sent, proven, cause } = error;
  const info = { retryAfterMs, detail, sent, proven, cause };
  return new ProviderError(error.kind, error.message, { ...info, resumable: true });
}
