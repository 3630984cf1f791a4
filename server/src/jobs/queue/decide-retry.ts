import { type Backoff, backoffMs } from '../../base/std/backoff.ts';
import type { AttemptFailure, JobErrorCode } from '../job.ts';
import { countLike, endingOf, outOfTime, routesLeft, ruleOf } from '../routes/retry-rules.ts';

/**
 * The minimum time from a job's previous loss to its retry. Without it, a job that kills workers could take the same
 * other jobs down three times in a row.
 */
const lossGapMs = 20_000;
const retryBackoff: Backoff = { firstMs: 1_000, capMs: 30_000, jitter: 0.2 };

export type RetryDecision =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'fail'; errorCode: JobErrorCode; error: string };

export interface RetryQuestion {
  /** The time until the job's deadline. */
  leftMs: number;
  retryAfterMs?: number;
  /** Routes that can serve the job, in order. By default, only the route that failed. */
  routes?: readonly string[];
  random?: () => number;
}

/** Decides from all failures of a job, the newest last, whether to retry. The job fails if no route is left. Pure. */
export function decideRetry(failures: readonly AttemptFailure[], question: RetryQuestion): RetryDecision {
  const last = failures.at(-1);
  if (!last) throw new Error('no failure to decide about');
  if (isOver(last, failures, question)) return { kind: 'fail', ...endingOf(last) };
  const delayMs = delayOf(last, failures, question);
  if (delayMs < question.leftMs) return { kind: 'retry', delayMs };
  const { errorCode } = last.kind === 'lost' ? endingOf(last) : ({ errorCode: 'timed_out' } as const);
  return { kind: 'fail', errorCode, error: `${last.message} ${outOfTime}` };
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
  // Claims skip the route that asked for a later retry, but another route need not wait.
  return Math.max(
    left.length > 1 || next !== last.route ? 0 : retryAfterMs,
    backoffMs(retryBackoff, count, random),
  );
}

/** The delay after a job lost its worker: none the first time, later until `lossGapMs` after the previous loss. */
function waitAfterLoss(last: AttemptFailure, failures: readonly AttemptFailure[]): number {
  const before = failures.slice(0, -1).findLast(({ kind }) => kind === 'lost');
  return before ? Math.max(0, lossGapMs - Math.max(0, last.at - before.at)) : 0;
}

function routesOf(last: AttemptFailure, { routes }: Pick<RetryQuestion, 'routes'>): readonly string[] {
  return routes ?? (last.route === null ? [] : [last.route]);
}
