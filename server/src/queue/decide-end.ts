import type { AttemptReport } from '../routes/circuit-breaker.ts';
import { routesLeft } from '../routes/retry-rules.ts';
import { decideRetry } from './decide-retry.ts';
import type { AttemptOutcome } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';
import type { AttemptEnd } from './write-ends.ts';

/** All that follows from a finished attempt. */
export interface EndDecision {
  /** What is written to the job; null when it is no longer ours. */
  end: AttemptEnd | null;
  /** What the circuit breaker of the route is told; null when the attempt says nothing fair about the route. */
  report: AttemptReport | null;
  /** What the upstream calls work that will not be fetched any more: cancelled there once the end is written. */
  cancelUpstream: string | null;
}

interface Question {
  /** Until the job's deadline. */
  leftMs: number;
  /** Ids of the routes that can serve the job, in order. */
  routes: readonly string[];
  /** Whether the attempt had less time than its route is given: what earlier attempts leave may be too little for any. */
  wasCutShort: boolean;
}

/** Pure: what becomes of a job, of the circuit of its route, and of the work upstream. */
export function decideEnd(running: RunningJob, outcome: AttemptOutcome, question: Question): EndDecision {
  const end = endOf(running, outcome, question);
  const report = reportOf(outcome, running.job.probeOf);
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
      const { image, aspectRatio, notes } = outcome;
      return {
        kind: 'settle',
        settlement: { ...lease, outcome: { status: 'done', image, aspectRatio, notes } },
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
      const { error, errorCode } = decision;
      return { kind: 'settle', settlement: { ...lease, outcome: { status: 'failed', error, errorCode } } };
    }
  }
}

/** A failure to store the image says nothing about the upstream that made it. */
function reportOf(outcome: AttemptOutcome, probeOf: number | undefined): AttemptReport {
  if (outcome.kind !== 'failed')
    return { outcome: outcome.kind === 'done' ? 'done' : undefined, retryAfterMs: 0, probeOf };
  const { kind, detail } = outcome.failure;
  const seen = kind === 'store' ? 'done' : kind === 'lost' ? undefined : kind;
  return { outcome: seen, retryAfterMs: outcome.retryAfterMs, detail, probeOf };
}

/** Whether the next attempt will fetch what this one left upstream. */
function goesOnUpstream(end: AttemptEnd): boolean {
  return end.kind === 'retry' && end.retry.remoteId !== null;
}

/** Work that a failed attempt left upstream, which the next attempt could take up. */
function standingUpstream(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' && outcome.failure.resumable ? outcome.remoteId : null;
}
