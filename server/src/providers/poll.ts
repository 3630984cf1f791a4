import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../std/backoff.ts';
import { abortFailure } from './failure.ts';
import { type FailureKind, ProviderError } from './provider.ts';

export interface Question<Told, Result> {
  /** Gets the state. What fails here fails on the way: it is asked again, and says nothing of the work upstream. */
  ask(): Promise<Told>;
  /** Undefined while the work goes on. What it throws is the end of the request. */
  read(told: Told): Result | undefined;
  /** Between two looks, and the first step of the back-off. */
  intervalMs: number;
  signal: AbortSignal;
}

/** Images take from seconds to minutes: a look every second neither bothers the upstream nor delays the job. */
export const defaultPollMs = 1000;
/** Cancelling is a courtesy; nobody waits long for it. */
export const cancelTimeoutMs = 10_000;
/** A busy upstream may refuse a few questions in a row; the work behind it goes on and is paid for. */
const maxFailuresInARow = 5;
/** However slow the usual looks are, a failed one is repeated within this. */
const longestRetryMs = 15_000;
const askedAgain = new Set<FailureKind>([
  'rate_limited',
  'unavailable',
  'network',
  'timeout',
  'bad_response',
]);
/** Not asked again now, but the request upstream is none the worse for it. */
const standing = new Set<FailureKind>([...askedAgain, 'cancelled', 'auth', 'quota']);

/** Asks until there is an answer. Whatever gives up while the request still stands upstream is `resumable`. */
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
  const { retryAfterMs, detail, sent, cause } = error;
  return new ProviderError(error.kind, error.message, { retryAfterMs, detail, sent, cause, resumable: true });
}
