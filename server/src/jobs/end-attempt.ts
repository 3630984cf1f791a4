import { decideRetry } from './decide-retry.ts';
import type { AttemptEnd } from './finish-attempts.ts';
import type { Job, Lease } from './job.ts';
import type { AttemptSeen } from './keep-health.ts';
import { routesLeft } from './retry-rules.ts';
import type { AttemptOutcome } from './run-attempt.ts';

/** What to write at the end of an attempt; undefined when the job is no longer ours. */
export function endOf(
  job: Job,
  lease: Lease,
  outcome: AttemptOutcome,
  { leftMs, routes }: { leftMs: number; routes: readonly string[] },
): AttemptEnd | undefined {
  switch (outcome.kind) {
    case 'done': {
      const { image, aspectRatio, notes } = outcome;
      return {
        kind: 'settle',
        settlement: { ...lease, outcome: { status: 'done', image, aspectRatio, notes } },
      };
    }
    case 'stopped':
      if (outcome.reason === 'lease_lost') return undefined;
      return {
        kind: 'rest',
        rest: { lease, failures: job.failures, delayMs: 0, remoteId: outcome.remoteId },
      };
    case 'failed': {
      const { failure, retryAfterMs, remoteId } = outcome;
      const failures = [...job.failures, failure];
      const decision = decideRetry(failures, { leftMs, retryAfterMs, routes });
      if (decision.kind === 'retry') {
        const goesOn = routesLeft(routes, failures).includes(job.route ?? '');
        const standing = failure.resumable && goesOn ? remoteId : null;
        return { kind: 'rest', rest: { lease, failures, delayMs: decision.delayMs, remoteId: standing } };
      }
      const { error, errorCode } = decision;
      return { kind: 'settle', settlement: { ...lease, outcome: { status: 'failed', error, errorCode } } };
    }
  }
}

/** What an attempt tells of its route. A failure to store the image says nothing of who made it. */
export function seenIn(outcome: AttemptOutcome, probeOf: number | undefined): AttemptSeen {
  if (outcome.kind !== 'failed')
    return { outcome: outcome.kind === 'done' ? 'done' : undefined, retryAfterMs: 0, probeOf };
  const { kind, detail } = outcome.failure;
  const seen = kind === 'store' ? 'done' : kind === 'lost' ? undefined : kind;
  return { outcome: seen, retryAfterMs: outcome.retryAfterMs, detail, probeOf };
}

/** Whether work still stands upstream that nobody will fetch. */
export function isAbandoned(
  outcome: AttemptOutcome,
  end: AttemptEnd,
): outcome is AttemptOutcome & { kind: 'failed'; remoteId: string } {
  if (outcome.kind !== 'failed' || outcome.remoteId === null || !outcome.failure.resumable) return false;
  return end.kind === 'settle' || end.rest.remoteId === null;
}
