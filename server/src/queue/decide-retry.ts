import type { AttemptFailure, JobErrorCode } from '../jobs/job.ts';
import { countLike, endingOf, outOfTime, routesLeft, ruleOf } from '../routes/retry-rules.ts';
import { type Backoff, backoffMs } from '../std/backoff.ts';

/** Jobs that were running beside one that kills its worker must not all be lost with it three times in a row. */
const lossGapMs = 20_000;
const retryBackoff: Backoff = { firstMs: 1_000, capMs: 30_000, jitter: 0.2 };

export type RetryDecision =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'fail'; errorCode: JobErrorCode; error: string };

export interface RetryQuestion {
  /** Until the job's deadline. */
  leftMs: number;
  retryAfterMs?: number;
  /** The routes that can serve the job, in order; the one that failed unless given. */
  routes?: readonly string[];
  random?: () => number;
}

/**
 * What becomes of a job after an attempt failed. Pure: from all its failures, the last one newest, and the time that is
 * left until its deadline. It fails for good when no route is left to try.
 */
export function decideRetry(failures: readonly AttemptFailure[], question: RetryQuestion): RetryDecision {
  const last = failures.at(-1);
  if (!last) throw new Error('no failure to decide about');
  if (isOver(last, failures, question)) return { kind: 'fail', ...endingOf(last) };
  const delayMs = delayOf(last, failures, question);
  if (delayMs < question.leftMs) return { kind: 'retry', delayMs };
  if (last.kind === 'lost') return { kind: 'fail', ...endingOf(last) };
  return { kind: 'fail', errorCode: 'timed_out', error: `${last.message} ${outOfTime}` };
}

function isOver(last: AttemptFailure, failures: readonly AttemptFailure[], question: RetryQuestion): boolean {
  const rule = ruleOf(last);
  if (!rule.elsewhere) return countLike(last, failures) >= rule.tries;
  return routesLeft(routesOf(last, question), failures).length === 0;
}

function delayOf(
  last: AttemptFailure,
  failures: readonly AttemptFailure[],
  { retryAfterMs = 0, random, ...question }: RetryQuestion,
): number {
  if (last.kind === 'lost') return waitAfterLoss(last, failures);
  if (!ruleOf(last).elsewhere) return backoffMs(retryBackoff, countLike(last, failures), random);
  const left = routesLeft(routesOf(last, question), failures);
  const next = left[0];
  const before = failures
    .filter(({ route }) => route === next)
    .findLast((failure) => ruleOf(failure).elsewhere);
  if (!before) return 0;
  const count = countLike(
    before,
    failures.filter(({ route }) => route === next),
  );
  // Claims leave alone a route that asked us to retry later; another one need not wait for it.
  return Math.max(
    left.length > 1 || next !== last.route ? 0 : retryAfterMs,
    backoffMs(retryBackoff, count, random),
  );
}

/** After the first loss at once; after another one not before `lossGapMs` have passed between the two. The clock may have gone back. */
function waitAfterLoss(last: AttemptFailure, failures: readonly AttemptFailure[]): number {
  const before = failures.slice(0, -1).findLast(({ kind }) => kind === 'lost');
  return before ? Math.max(0, lossGapMs - Math.max(0, last.at - before.at)) : 0;
}

function routesOf(last: AttemptFailure, { routes }: Pick<RetryQuestion, 'routes'>): readonly string[] {
  return routes ?? (last.route === null ? [] : [last.route]);
}
