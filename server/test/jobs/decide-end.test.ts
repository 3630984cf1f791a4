import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptFailure } from '../../src/jobs/job.ts';
import { decideEnd } from '../../src/jobs/queue/decide-end.ts';
import type { AttemptOutcome } from '../../src/jobs/queue/run-attempt.ts';
import type { RunningJob } from '../../src/jobs/queue/running-job.ts';

/** Decides about an attempt on route `a`. */
function decide(
  outcome: AttemptOutcome,
  {
    leftMs = 900_000,
    routes = ['a'],
    endsAtDeadline = false,
    wasCutShort = false,
    earlier: failures = [] as AttemptFailure[],
  } = {},
) {
  const lease = { jobId: '1', attempt: 1, worker: 'own' };
  const job = { failures, route: 'a', endsAtDeadline };
  const running = { job, lease } as unknown as RunningJob; // only these fields are read
  return decideEnd(running, outcome, { leftMs, routes, wasCutShort });
}

/** A failure while `upstream-1` was the attempt's request at the upstream. */
function failed(kind: AttemptFailure['kind'], { resumable = false } = {}): AttemptOutcome {
  const failure = { attempt: 1, at: 0, route: 'a', kind, message: 'It failed.' };
  const remoteId = 'upstream-1';
  return {
    ...{ kind: 'failed', retryAfterMs: 0, remoteId },
    failure: { ...failure, ...(resumable && { resumable }) },
  };
}

function endOf(...attempt: Parameters<typeof decide>) {
  const { end, cancelUpstream } = decide(...attempt);
  if (end?.kind === 'retry') return { resumed: end.retry.remoteId, cancelUpstream };
  const ended = end?.settlement.outcome;
  return { errorCode: ended?.status === 'failed' && ended.errorCode, cancelUpstream };
}

test('a request that failed at the upstream is neither resumed nor cancelled; one that continues there is one or the other', () => {
  const standing = failed('timeout', { resumable: true });
  const over = failed('timeout');
  assert.deepEqual(endOf(standing), { resumed: 'upstream-1', cancelUpstream: null });
  assert.deepEqual(endOf(standing, { routes: ['b'] }), { resumed: null, cancelUpstream: 'upstream-1' });
  const late = { errorCode: 'timed_out', cancelUpstream: 'upstream-1' };
  assert.deepEqual(endOf(standing, { leftMs: 0 }), late);
  for (const routes of [['a'], ['b']])
    assert.deepEqual(endOf(over, { routes }), { resumed: null, cancelUpstream: null });
  assert.deepEqual(endOf(over, { leftMs: 0 }), { ...late, cancelUpstream: null });
});

test('a request that is late once is resumed, also after its state could not be read', () => {
  const unread = {
    attempt: 1,
    at: 0,
    route: 'a',
    kind: 'unavailable',
    message: 'It failed.',
    resumable: true,
  } as const;
  const standing = failed('timeout', { resumable: true });
  const other = { routes: ['a', 'b'] };
  const goesOn = { resumed: 'upstream-1', cancelUpstream: null };
  assert.deepEqual(endOf(standing, { ...other, earlier: [unread] }), goesOn);
  const earlier: AttemptFailure[] = [unread, { ...unread, kind: 'timeout' }];
  assert.deepEqual(endOf(standing, { ...other, earlier }), { resumed: null, cancelUpstream: 'upstream-1' });
});

test('only a job that has no time left before its own deadline fails as late', () => {
  const codeOf = (kind: AttemptFailure['kind'], endsAtDeadline: boolean) =>
    endOf(failed(kind), { leftMs: 0, endsAtDeadline }).errorCode;
  assert.equal(codeOf('unavailable', true), 'deadline_exceeded');
  assert.equal(codeOf('unavailable', false), 'timed_out');
  assert.equal(codeOf('safety_blocked', true), 'safety_blocked');
});

test('a timeout counts against the route only if the attempt had all the time that the route allows', () => {
  const reported = (wasCutShort: boolean) => decide(failed('timeout'), { wasCutShort }).report?.outcome;
  assert.deepEqual([reported(false), reported(true)], ['timeout', undefined]);
});

test('an attempt that was stopped says nothing about its route', () => {
  for (const reason of ['lease_lost', 'draining'] as const)
    assert.equal(decide({ kind: 'stopped', reason, remoteId: null }).report?.outcome, undefined);
});

test('for the route, an image that was made but not stored or released is a success', () => {
  const reported = (kind: AttemptFailure['kind']) => decide(failed(kind)).report?.outcome;
  assert.deepEqual([reported('store'), reported('policy'), reported('lost')], ['done', 'done', undefined]);
});
