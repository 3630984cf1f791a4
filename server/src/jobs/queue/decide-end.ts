import type { AttemptReport } from '../routes/circuit-breaker.ts';
import { overdue, routesLeft } from '../routes/retry-rules.ts';
import { decideRetry } from './decide-retry.ts';
import type { AttemptEnd } from './end-writer.ts';
import type { AttemptOutcome } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';

export interface EndDecision {
  /** The end to write to the job; null for a lost lease. */
  end: AttemptEnd | null;
  /** The report to the circuit; null if the attempt says nothing about the route. */
  report: AttemptReport | null;
  /** The remote id of upstream work whose result is not needed. It is cancelled after the end is written. */
  cancelUpstream: string | null;
}

interface Question {
  /** The time until the job's deadline. */
  leftMs: number;
  /** Ids of the routes that can serve the job, in order. */
  routes: readonly string[];
  /** Whether the attempt had less time than its route allows, because of earlier attempts or the client's deadline. */
  wasCutShort: boolean;
}

/** Decides what happens to the job, to the circuit of its route, and to the work upstream. Pure. */
export function decideEnd(running: RunningJob, outcome: AttemptOutcome, question: Question): EndDecision {
  const end = endOf(running, outcome, question);
  const report = reportOf(outcome, running.job);
  return {
    end,
    report: question.wasCutShort && report.outcome === 'timeout' ? null : report,
    cancelUpstream: end && goesOnUpstream(end) ? null : standingUpstream(outcome),
  };
}

function endOf(
  { job, lease }: RunningJob,
  outcome: AttemptOutcome,
  { leftMs, routes }: Question,
): AttemptEnd | null {
  switch (outcome.kind) {
    case 'done': {
      const { image, aspectRatio, notes, costMicros } = outcome;
      return {
        kind: 'settle',
        settlement: { ...lease, outcome: { status: 'done', image, aspectRatio, notes, costMicros } },
      };
    }
    case 'stopped':
      if (outcome.reason === 'lease_lost') return null;
      return {
        kind: 'retry',
        retry: { lease, failures: job.failures, delayMs: 0, remoteId: outcome.remoteId },
      };
    case 'failed': {
      const { failure, retryAfterMs } = outcome;
      const failures = [...job.failures, failure];
      const decision = decideRetry(failures, { leftMs, retryAfterMs, routes });
      if (decision.kind === 'retry') {
        const goesOn = routesLeft(routes, failures).includes(job.route ?? '');
        const remoteId = goesOn ? standingUpstream(outcome) : null;
        return { kind: 'retry', retry: { lease, failures, delayMs: decision.delayMs, remoteId } };
      }
      const isLate = job.endsAtDeadline && decision.errorCode === 'timed_out';
      const { error, errorCode } = isLate ? overdue : decision;
      return { kind: 'settle', settlement: { ...lease, outcome: { status: 'failed', error, errorCode } } };
    }
  }
}

/** For the upstream, an image that was made but not stored or released is a success. */
function reportOf(
  outcome: AttemptOutcome,
  { accountId, probeOf }: Pick<RunningJob['job'], 'accountId' | 'probeOf'>,
): AttemptReport {
  const by = { accountId, probeOf, retryAfterMs: 0 };
  if (outcome.kind !== 'failed') return { ...by, outcome: outcome.kind === 'done' ? 'done' : undefined };
  const { kind, detail } = outcome.failure;
  const seen = kind === 'store' || kind === 'policy' ? 'done' : kind === 'lost' ? undefined : kind;
  return { ...by, outcome: seen, proven: outcome.proven, retryAfterMs: outcome.retryAfterMs, detail };
}

function goesOnUpstream(end: AttemptEnd): boolean {
  return end.kind === 'retry' && end.retry.remoteId !== null;
}

function standingUpstream(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' && outcome.failure.resumable ? outcome.remoteId : null;
}
