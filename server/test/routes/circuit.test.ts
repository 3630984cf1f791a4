import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideCircuit,
  type OpenCircuit,
  type OpenState,
  type Streak,
} from '../../src/jobs/routes/decide-circuit.ts';
import { decideRoutes, type WaitingJob } from '../../src/jobs/routes/decide-routes.ts';
import { countFree } from '../../src/jobs/routes/free-slots.ts';
import { paceLeft, takenPaces } from '../../src/jobs/routes/pace.ts';
import type { FailureKind } from '../../src/upstream/providers/provider.ts';
import { modelOf, pretendedRoute } from './support.ts';

type Asked = Parameters<typeof decideCircuit>[0];
const none: Streak = { proven: 0, byAccount: new Map() };
const report = { accountId: 'a', retryAfterMs: 0, streak: none, probeOf: undefined, random: () => 0.5 };
const decideAfter = (outcome: Asked['outcome'], more: Partial<Asked> = {}) => {
  const decision = decideCircuit({ ...report, outcome, ...more });
  return decision.kind === 'open' ? [decision.opening.state, decision.opening.openMs] : decision.kind;
};
/** The lines that the vendor documents. */
const proven = (kind: FailureKind, more: Partial<Asked> = {}) => decideAfter(kind, { proven: kind, ...more });

test('five failures in a row open a circuit; a failed probe opens it at once, for twice as long', () => {
  assert.equal(proven('unavailable', { streak: { ...none, proven: 3 } }), 'count');
  assert.deepEqual(proven('unavailable', { streak: { ...none, proven: 4 } }), ['open', 10_000]);
  assert.deepEqual(proven('network', { probeOf: 1 }), ['open', 20_000]);
  assert.deepEqual(proven('network', { probeOf: 20 }), ['open', 300_000]);
});

test('a route that asks us to retry later rests for at least that long', () => {
  assert.deepEqual(proven('rate_limited'), ['rate_limited', 5_000]);
  assert.deepEqual(proven('rate_limited', { retryAfterMs: 34_070 }), ['rate_limited', 34_070]);
});

test('the circuit of a route that refuses us stays open for minutes', () => {
  for (const kind of ['auth', 'quota', 'model_not_found'] as const)
    assert.deepEqual(proven(kind), ['rejected', 300_000]);
});

test('a refusal of one request counts as an answer, because the route works', () => {
  for (const kind of ['done', 'safety_blocked', 'invalid_input', 'no_image'] as const)
    assert.equal(decideAfter(kind), 'close');
  assert.equal(decideAfter(undefined), 'ignore');
});

test('failures that a request may have caused open a circuit only if they happen to different accounts', () => {
  const after = (...counts: [string, number][]) => ({ streak: { proven: 0, byAccount: new Map(counts) } });
  for (const kind of ['timeout', 'bad_response', 'unsupported', 'unavailable'] as const) {
    assert.equal(decideAfter(kind, after(['a', 1000])), 'count');
    assert.equal(decideAfter(kind, after(['a', 1000], ['b', 1])), 'count');
    assert.deepEqual(decideAfter(kind, after(['a', 2], ['b', 2])), ['open', 10_000]);
    assert.deepEqual(decideAfter(kind, { ...after(['b', 1]), probeOf: 1 }), ['open', 20_000]);
    assert.equal(decideAfter(kind, { ...after(['a', 1]), probeOf: 1 }), 'check');
  }
  assert.deepEqual(decideAfter('auth', after(['a', 2], ['b', 2])), ['rejected', 300_000]);
});

test('if only one account fails, every fifth failure and the first refusal lead to a check', () => {
  const kinds = (outcome: Asked['outcome']) => {
    let streak = none;
    return Array.from({ length: 10 }, () => {
      const decision = decideCircuit({ ...report, outcome, streak });
      if (decision.kind === 'count' || decision.kind === 'check') streak = decision.streak;
      return decision.kind;
    });
  };
  const fifths = ['count', 'count', 'count', 'count', 'check'];
  assert.deepEqual(kinds('timeout'), [...fifths, ...fifths]);
  assert.deepEqual(kinds('auth'), ['check', ...fifths.slice(1), ...fifths]);
});

test('a quota error recognized only by its text closes a route for as long as its status says', () => {
  assert.deepEqual(decideAfter('quota', { proven: 'rate_limited' }), ['rate_limited', 5_000]);
});

const nowMs = 1_000_000;
const open = (route: string, state: OpenState, until = nowMs + 60_000): [string, OpenCircuit] => [
  route,
  { route, state, until, failures: 1, reason: 'unavailable', detail: null, changedAt: 0 },
];
const routes = [pretendedRoute('a'), pretendedRoute('b')];
const job: WaitingJob = {
  accountId: 'a',
  shape: { model: modelOf('nb2'), ratio: '1:1', resolution: '1K', inputs: 0, parameters: [], options: [] },
  failures: [],
  route: null,
  remoteId: null,
  startedAt: null,
  deadlineAt: null,
};
const decide = (circuits: [string, OpenCircuit][], more: Partial<WaitingJob> = {}, among = routes) =>
  decideRoutes({ ...job, ...more }, among, {
    circuits: new Map(circuits),
    costs: new Map(),
    nowMs,
    jobTimeoutMs: 900_000,
  });

test('a job may run on every route that serves it and whose circuit is not open, in order', () => {
  assert.deepEqual(decide([]), { kind: 'run', routes: ['a', 'b'] });
  assert.deepEqual(decide([open('a', 'open')]), { kind: 'run', routes: ['b'] });
  assert.deepEqual(decide([open('a', 'open', nowMs)]), { kind: 'run', routes: ['a', 'b'] });
});

test('the cheapest route is tried first, and passed over while its circuit is open', () => {
  const byCost = [['a', '0.03'] as const, ['b', '0.02'] as const].map(([id, cost]) =>
    pretendedRoute(id, { byCost: true, cost }),
  );
  assert.deepEqual(decide([], {}, byCost), { kind: 'run', routes: ['b', 'a'] });
  assert.deepEqual(decide([open('b', 'open')], {}, byCost), { kind: 'run', routes: ['a'] });
});

test('a job waits while every circuit is open, but not beyond its deadline and not for routes that refuse us', () => {
  assert.deepEqual(decide([open('a', 'rejected'), open('b', 'rate_limited')]), { kind: 'wait' });
  const late = decide([open('a', 'open'), open('b', 'open')], { startedAt: nowMs - 860_000 });
  assert.equal(late.kind === 'fail' && late.errorCode, 'timed_out');
  const refused = decide([open('a', 'rejected'), open('b', 'rejected')]);
  assert.equal(refused.kind === 'fail' && refused.errorCode, 'provider_rejected');
});

test('a job whose time is over is not started again, whatever its routes', () => {
  const decision = decide([], { startedAt: nowMs - 900_000 });
  assert.equal(decision.kind === 'fail' && decision.errorCode, 'timed_out');
  assert.equal(decide([], { startedAt: nowMs - 899_999 }).kind, 'run');
});

test('a job that no route can serve fails with a sentence that names what is missing', () => {
  const decision = decide([], { shape: { ...job.shape, model: modelOf('pro'), ratio: '4:1', inputs: 14 } });
  assert.deepEqual(decision, {
    kind: 'fail',
    errorCode: 'provider_rejected',
    error:
      'This installation has no image model for pro that makes 4:1 at 1K from 14 input images. Choose another combination, or ask the operator.',
  });
});

test('a request that a route has accepted is waited for there, unless the route refuses us', () => {
  const standing = { route: 'b', remoteId: 'r-1' };
  assert.deepEqual(decide([], standing), { kind: 'run', routes: ['b'] });
  assert.deepEqual(decide([open('b', 'open')], standing), { kind: 'wait' });
  assert.deepEqual(decide([open('b', 'rejected')], standing), { kind: 'run', routes: ['a'] });
});

test('a half-open circuit lets one job through at a time, an open one none', () => {
  const free = (until: number, used: number) =>
    countFree([pretendedRoute('a')], {
      used: new Map([['a', used]]),
      circuits: new Map([open('a', 'open', until)]),
      paces: new Map(),
      nowMs,
    })[0]?.free;
  assert.equal(free(nowMs + 1, 0), 0);
  assert.equal(free(nowMs, 0), 1);
  assert.equal(free(nowMs, 1), 0);
});

test('a pace is never exceeded in any minute, and a fast one is not wasted between claims', () => {
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
