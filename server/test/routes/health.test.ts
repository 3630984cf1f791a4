import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRoutes, type WaitingJob } from '../../src/jobs/decide-route.ts';
import { countFree } from '../../src/jobs/free-slots.ts';
import { diagnose, type RouteHealth, type RouteState } from '../../src/jobs/route-health.ts';
import { paceLeft, takenPaces } from '../../src/jobs/route-pace.ts';
import { pretendedRoute } from './support.ts';

const seen = { retryAfterMs: 0, inARow: 0, probeOf: undefined, random: () => 0.5 };
const rest = (outcome: Parameters<typeof diagnose>[0]['outcome'], more: object = {}) => {
  const diagnosis = diagnose({ ...seen, outcome, ...more });
  return diagnosis.kind === 'ill' ? [diagnosis.illness.state, diagnosis.illness.restMs] : diagnosis.kind;
};

test('five failures in a row open a route, a failed probe at once and for twice as long', () => {
  assert.equal(rest('unavailable', { inARow: 3 }), 'doubtful');
  assert.deepEqual(rest('timeout', { inARow: 4 }), ['open', 10_000]);
  assert.deepEqual(rest('network', { probeOf: 1 }), ['open', 20_000]);
  assert.deepEqual(rest('network', { probeOf: 20 }), ['open', 300_000]);
});

test('a route that asks for a rest gets at least that', () => {
  assert.deepEqual(rest('rate_limited'), ['rate_limited', 5_000]);
  assert.deepEqual(rest('rate_limited', { retryAfterMs: 34_070 }), ['rate_limited', 34_070]);
});

test('a route that refuses us is out for minutes', () => {
  for (const kind of ['auth', 'quota', 'model_not_found'] as const)
    assert.deepEqual(rest(kind), ['rejected', 300_000]);
});

test('a refusal of one request is an answer: the route is well', () => {
  for (const kind of ['done', 'safety_blocked', 'invalid_input', 'no_image'] as const)
    assert.equal(rest(kind), 'well');
  assert.equal(rest(undefined), 'unknown');
});

const nowMs = 1_000_000;
const ill = (route: string, state: RouteState, until = nowMs + 60_000): [string, RouteHealth] => [
  route,
  { route, state, until, failures: 1, reason: 'unavailable', detail: null, changedAt: 0 },
];
const routes = [pretendedRoute('a'), pretendedRoute('b')];
const job: WaitingJob = {
  shape: { model: 'nb2', ratio: '1:1', resolution: '1K', inputs: 0 },
  failures: [],
  route: null,
  remoteId: null,
  startedAt: null,
};
const decide = (health: [string, RouteHealth][], more: Partial<WaitingJob> = {}) =>
  decideRoutes({ ...job, ...more }, routes, { health: new Map(health), nowMs, jobTimeoutMs: 900_000 });

test('a job may run on every route that serves it and does not rest, in order', () => {
  assert.deepEqual(decide([]), { kind: 'run', routes: ['a', 'b'] });
  assert.deepEqual(decide([ill('a', 'open')]), { kind: 'run', routes: ['b'] });
  assert.deepEqual(decide([ill('a', 'open', nowMs)]), { kind: 'run', routes: ['a', 'b'] });
});

test('a job waits while every route rests, but not beyond its deadline and not for routes that refuse us', () => {
  assert.deepEqual(decide([ill('a', 'rejected'), ill('b', 'rate_limited')]), { kind: 'wait' });
  const late = decide([ill('a', 'open'), ill('b', 'open')], { startedAt: nowMs - 860_000 });
  assert.equal(late.kind === 'fail' && late.errorCode, 'timed_out');
  const refused = decide([ill('a', 'rejected'), ill('b', 'rejected')]);
  assert.equal(refused.kind === 'fail' && refused.errorCode, 'provider_rejected');
});

test('a job whose time is over is not begun again, whatever its routes', () => {
  const decision = decide([], { startedAt: nowMs - 900_000 });
  assert.equal(decision.kind === 'fail' && decision.errorCode, 'timed_out');
  assert.equal(decide([], { startedAt: nowMs - 899_999 }).kind, 'run');
});

test('a job that nobody can serve fails with a sentence that names what is missing', () => {
  const decision = decide([], { shape: { ...job.shape, model: 'pro', ratio: '4:1', inputs: 14 } });
  assert.deepEqual(decision, {
    kind: 'fail',
    errorCode: 'provider_rejected',
    error:
      'This installation has no image model for pro that makes 4:1 at 1K from 14 input images. Choose another combination, or ask the operator.',
  });
});

test('what a route has accepted is waited for there, unless the route refuses us', () => {
  const standing = { route: 'b', remoteId: 'r-1' };
  assert.deepEqual(decide([], standing), { kind: 'run', routes: ['b'] });
  assert.deepEqual(decide([ill('b', 'open')], standing), { kind: 'wait' });
  assert.deepEqual(decide([ill('b', 'rejected')], standing), { kind: 'run', routes: ['a'] });
});

test('a route on the mend takes one job at a time, a resting one none', () => {
  const free = (until: number, used: number) =>
    countFree([pretendedRoute('a')], {
      used: new Map([['a', used]]),
      health: new Map([ill('a', 'open', until)]),
      paces: new Map(),
      nowMs,
    })[0]?.free;
  assert.equal(free(nowMs + 1, 0), 0);
  assert.equal(free(nowMs, 0), 1);
  assert.equal(free(nowMs, 1), 0);
});

test('a pace is never exceeded in any minute, and a fast one is not lost between claims', () => {
  for (const perMinute of [1, 7, 60, 600]) {
    const route = pretendedRoute('a', { perMinute });
    const began: number[] = [];
    const paces = new Map<string, number>();
    for (let now = nowMs; now < nowMs + 180_000; now += 250) {
      const count = paceLeft(route, { paces, nowMs: now });
      const claims = Array.from({ length: count }, (_, index) => ({ jobId: String(index), routeId: 'a' }));
      for (const { busyUntil } of takenPaces([route], claims, { paces, nowMs: now }))
        paces.set('a', busyUntil);
      began.push(...claims.map(() => now));
    }
    const inMinute = (from: number) => began.filter((at) => at >= from && at < from + 60_000).length;
    const most = Math.max(...began.map(inMinute));
    assert.ok(most <= perMinute, `${most} in a minute of ${perMinute}`);
    assert.ok(began.length >= perMinute * 2.9, `${began.length} in three minutes of ${perMinute}`);
  }
});
