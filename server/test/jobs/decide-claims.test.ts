import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AttemptFailure } from '../../src/jobs/job.ts';
import { decideClaims } from '../../src/jobs/queue/decide-claims.ts';
import { decideHold } from '../../src/jobs/queue/decide-hold.ts';
import { decideRetry } from '../../src/jobs/queue/decide-retry.ts';
import { routesLeft } from '../../src/jobs/routes/retry-rules.ts';

const job = (id: string, accountId: string, ...routes: string[]) => ({
  id,
  accountId,
  keyId: `key of ${accountId}`,
  model: 'nb2',
  routes: routes.length > 0 ? routes : ['r'],
});
const slots = [{ routeId: 'r', free: 2 }];

test('a free slot goes to the account with the fewest jobs of the model running, then to the oldest job', () => {
  const waiting = [job('1', 'hog'), job('2', 'hog'), job('3', 'late')];
  assert.deepEqual(
    decideClaims(waiting, [], slots, 10).map(({ jobId }) => jobId),
    ['1', '3'],
  );
  assert.deepEqual(
    decideClaims(waiting, [{ ...job('0', 'late'), count: 1 }], slots, 10).map(({ jobId }) => jobId),
    ['1', '2'],
  );
});

test('an account’s running jobs of one model do not delay its turn at another', () => {
  const busy = [{ ...job('0', 'both'), model: 'pro', count: 5 }];
  const waiting = [job('1', 'both'), job('2', 'one'), job('3', 'one')];
  assert.deepEqual(
    decideClaims(waiting, busy, slots, 10).map(({ jobId }) => jobId),
    ['1', '2'],
  );
  const mostRunning = (kind: 'account' | 'key', id: string) =>
    kind === 'account' && id === 'both' ? 5 : undefined;
  assert.deepEqual(
    decideClaims(waiting, busy, slots, 10, mostRunning).map(({ jobId }) => jobId),
    ['2', '3'],
  );
});

test('routes fill up in the order of each job and never beyond their slots', () => {
  const two = [
    { routeId: 'first', free: 1 },
    { routeId: 'second', free: 1 },
  ];
  const either = (id: string) => job(id, 'a', 'first', 'second');
  assert.deepEqual(decideClaims([either('1'), either('2'), either('3')], [], two, 10), [
    { jobId: '1', routeId: 'first' },
    { jobId: '2', routeId: 'second' },
  ]);
  assert.deepEqual(decideClaims([job('1', 'a', 'second', 'first')], [], two, 10), [
    { jobId: '1', routeId: 'second' },
  ]);
});

test('a job whose routes have no free slot does not delay the next one', () => {
  const waiting = [job('1', 'a', 'full'), job('2', 'a')];
  assert.deepEqual(decideClaims(waiting, [], [...slots, { routeId: 'full', free: 0 }], 10), [
    { jobId: '2', routeId: 'r' },
  ]);
});

test('in whatever order jobs are read, the oldest that can begin goes first, not the account of the oldest', () => {
  const waiting = [job('4', 'a'), job('3', 'b'), job('2', 'b'), job('1', 'a', 'full')];
  const idsOf = (free: number) =>
    decideClaims(waiting, [], [{ routeId: 'r', free }], 10).map(({ jobId }) => jobId);
  assert.deepEqual(idsOf(1), ['2']);
  assert.deepEqual(idsOf(3), ['2', '4', '3']);
});

test('a batch’s job whose turn it is does not delay others while its route is full', () => {
  // Ids with which the batch has its turn first.
  const waiting = [{ ...job('2', 'a', 'full'), inBatch: true }, job('6', 'a')];
  assert.deepEqual(decideClaims(waiting, [], slots, 10), [{ jobId: '6', routeId: 'r' }]);
  const both = [...slots, { routeId: 'full', free: 1 }];
  assert.deepEqual(
    decideClaims(waiting, [], both, 1).map(({ jobId }) => jobId),
    ['2'],
  );
});

test('an unknown route takes no job', () => {
  assert.deepEqual(decideClaims([job('1', 'a', 'unknown')], [], slots, 10), []);
});

test('an account’s running jobs count together over its keys, up to its limit', () => {
  const waiting = [job('1', 'a'), job('2', 'b')];
  const running = [
    { ...job('0', 'a'), keyId: 'one', count: 2 },
    { ...job('0', 'a'), keyId: 'other', count: 1 },
    { ...job('0', 'b'), count: 2 },
  ];
  const idsOf = (most: number) =>
    decideClaims(waiting, running, slots, 10, (kind) => (kind === 'account' ? most : undefined)).map(
      ({ jobId }) => jobId,
    );
  assert.deepEqual(idsOf(10), ['2', '1']);
  assert.deepEqual(idsOf(4), ['2', '1']);
  assert.deepEqual(idsOf(3), ['2']);
  assert.deepEqual(idsOf(2), []);
});

test('an account or key that may run no job begins none, and one that may run one begins one', () => {
  const idsOf = (keyId: string, most: Record<string, number>, count = 0) =>
    decideClaims(
      [
        { ...job('1', 'a'), keyId },
        { ...job('2', 'a'), keyId },
      ],
      count > 0 ? [{ ...job('0', 'a'), keyId, count }] : [],
      slots,
      10,
      (kind, id) => most[`${kind} ${id}`],
    ).map(({ jobId }) => jobId);
  for (const subject of ['account a', 'key k']) {
    assert.deepEqual(idsOf('k', { [subject]: 0 }), [], subject);
    assert.deepEqual(idsOf('k', { [subject]: 1 }), ['1'], subject);
    assert.deepEqual(idsOf('k', { [subject]: 1 }, 1), [], subject);
    assert.deepEqual(idsOf('k', { [subject]: 2 }, 1), ['1'], subject);
  }
  assert.deepEqual(idsOf('a', { 'key a': 0 }), ['1', '2'], 'what the panel makes has no key');
});

const failure = (
  kind: AttemptFailure['kind'],
  { route = 'r', resumable = false }: { route?: string; resumable?: boolean } = {},
): AttemptFailure => ({
  attempt: 1,
  at: 0,
  route,
  kind,
  message: 'It failed.',
  ...(resumable && { resumable }),
});
const retries = (kind: AttemptFailure['kind']) => {
  const failures: AttemptFailure[] = [];
  for (;;) {
    failures.push(failure(kind));
    const decision = decideRetry(failures, { leftMs: 900_000 });
    if (decision.kind === 'fail') return { retries: failures.length - 1, errorCode: decision.errorCode };
  }
};

test('every kind of failure has its number of retries and its error code', () => {
  assert.deepEqual(retries('safety_blocked'), { retries: 0, errorCode: 'safety_blocked' });
  assert.deepEqual(retries('invalid_input'), { retries: 0, errorCode: 'invalid_input' });
  assert.deepEqual(retries('auth'), { retries: 0, errorCode: 'provider_rejected' });
  assert.deepEqual(retries('no_image'), { retries: 1, errorCode: 'no_image' });
  assert.deepEqual(retries('timeout'), { retries: 1, errorCode: 'timed_out' });
  assert.deepEqual(retries('bad_response'), { retries: 1, errorCode: 'provider_unavailable' });
  assert.deepEqual(retries('unavailable'), { retries: 4, errorCode: 'provider_unavailable' });
  assert.deepEqual(retries('lost'), { retries: 19, errorCode: 'interrupted' });
});

test('only workers that died while running nothing else show that a job was to blame', () => {
  const after = (...failures: AttemptFailure[]) => decideRetry(failures, { leftMs: 900_000 }).kind;
  const alone = { ...failure('lost'), alone: true };
  assert.equal(after(...times(15, 'lost', 'r'), alone, alone), 'retry');
  assert.equal(after(...times(3, 'lost', 'r'), alone, alone, alone), 'fail');
  const late = decideRetry([failure('lost'), failure('lost')], { leftMs: 10_000 });
  assert.deepEqual(late, {
    kind: 'fail',
    errorCode: 'interrupted',
    error: 'It failed. There was no time left to try again. Create the job again.',
  });
});

test('a job is lost at most once in 20 seconds, so that another job that kills workers does not make it fail', () => {
  const lostAt = (at: number) => ({ ...failure('lost'), at });
  const delay = (...list: AttemptFailure[]) => {
    const decision = decideRetry(list, { leftMs: 900_000 });
    return decision.kind === 'retry' && decision.delayMs;
  };
  assert.equal(delay(lostAt(0)), 0);
  assert.equal(delay(lostAt(0), lostAt(3_000)), 17_000);
  assert.equal(delay(lostAt(0), lostAt(25_000)), 0);
  assert.equal(delay(lostAt(9_000), lostAt(3_000)), 20_000, 'the clock went back');
});

test('a job that would be tried again just when its time is over fails', () => {
  const at = (leftMs: number) =>
    decideRetry([failure('rate_limited')], { leftMs, retryAfterMs: 60_000 }).kind;
  assert.deepEqual([at(60_000), at(60_001)], ['fail', 'retry']);
  assert.throws(() => decideRetry([], { leftMs: 1 }), /no failure/);
});

test('a retry waits as long as the upstream requested, and a job without time left fails as timed out', () => {
  const soon = decideRetry([failure('rate_limited')], { leftMs: 900_000, retryAfterMs: 60_000 });
  assert.deepEqual(soon, { kind: 'retry', delayMs: 60_000 });
  const late = decideRetry([failure('rate_limited')], { leftMs: 30_000, retryAfterMs: 60_000 });
  assert.equal(late.kind === 'fail' && late.errorCode, 'timed_out');
});

const both = ['a', 'b'];
const after = (...failures: AttemptFailure[]) =>
  decideRetry(failures, { leftMs: 900_000, routes: both, random: () => 0.5 });
const times = (count: number, kind: AttemptFailure['kind'], route: string) =>
  Array.from({ length: count }, () => failure(kind, { route }));

test('a route need not wait as long as another route’s upstream requested, and without a route nothing waits', () => {
  const asked = (...failures: AttemptFailure[]) =>
    decideRetry(failures, { leftMs: 900_000, retryAfterMs: 60_000, routes: both, random: () => 0.5 });
  assert.deepEqual(asked(failure('rate_limited', { route: 'a' })), { kind: 'retry', delayMs: 1_000 });
  const onB = failure('unavailable', { route: 'b' });
  assert.deepEqual(asked(onB, ...times(3, 'unavailable', 'a')), { kind: 'retry', delayMs: 1_000 });
  const nowhere = { ...failure('unavailable'), route: null };
  assert.equal(decideRetry([nowhere], { leftMs: 900_000 }).kind, 'fail');
});

test('a route that refuses us is left at once, and the job fails if all routes do', () => {
  for (const kind of ['auth', 'quota', 'model_not_found'] as const) {
    assert.deepEqual(after(failure(kind, { route: 'a' })), { kind: 'retry', delayMs: 0 });
    assert.deepEqual(routesLeft(both, [failure(kind, { route: 'a' })]), ['b']);
    const all = after(failure(kind, { route: 'a' }), failure(kind, { route: 'b' }));
    assert.equal(all.kind === 'fail' && all.errorCode, 'provider_rejected');
  }
});

test('overload is tried three times on a route, then on the next, and in the end twice more on each', () => {
  assert.deepEqual(after(...times(1, 'unavailable', 'a')), { kind: 'retry', delayMs: 1_000 });
  assert.deepEqual(after(...times(2, 'network', 'a')), { kind: 'retry', delayMs: 2_000 });
  assert.deepEqual(routesLeft(both, times(2, 'rate_limited', 'a')), both);
  assert.deepEqual(after(...times(3, 'unavailable', 'a')), { kind: 'retry', delayMs: 0 });
  assert.deepEqual(routesLeft(both, times(3, 'unavailable', 'a')), ['b']);
  const each = [...times(3, 'unavailable', 'a'), ...times(3, 'unavailable', 'b')];
  assert.deepEqual(routesLeft(both, each), both);
  const end = after(...times(5, 'unavailable', 'a'), ...times(5, 'unavailable', 'b'));
  assert.equal(end.kind === 'fail' && end.errorCode, 'provider_unavailable');
});

test('an image that could not be stored is made again five times at most, each time after a longer pause', () => {
  assert.deepEqual(retries('store'), { retries: 4, errorCode: 'internal' });
  assert.deepEqual(after(...times(1, 'store', 'a')), { kind: 'retry', delayMs: 1_000 });
  assert.deepEqual(after(...times(2, 'store', 'a')), { kind: 'retry', delayMs: 2_000 });
});

test('a call that timed out is repeated once on its route, then elsewhere', () => {
  assert.deepEqual(routesLeft(both, times(1, 'timeout', 'a')), both);
  assert.deepEqual(routesLeft(both, times(2, 'timeout', 'a')), ['b']);
  assert.equal(after(...times(2, 'timeout', 'a'), ...times(2, 'timeout', 'b')).kind, 'fail');
});

test('an answer without an image, or with a broken one, is requested once more, then elsewhere', () => {
  for (const kind of ['no_image', 'bad_response'] as const) {
    assert.deepEqual(routesLeft(both, times(1, kind, 'a')), both);
    assert.deepEqual(routesLeft(both, times(2, kind, 'a')), ['b']);
  }
});

test('a request at the upstream is resumed on its route many times before it is given up', () => {
  const standing = (count: number) =>
    Array.from({ length: count }, () => failure('network', { route: 'a', resumable: true }));
  assert.deepEqual(routesLeft(both, standing(9)), both);
  assert.deepEqual(routesLeft(both, standing(10)), ['b']);
});

test('a route that was too slow twice gives way to another, or is waited for if there is none', () => {
  const slow = (count: number) =>
    Array.from({ length: count }, () => failure('timeout', { route: 'a', resumable: true }));
  assert.deepEqual(routesLeft(both, slow(1)), both);
  assert.deepEqual(routesLeft(both, slow(2)), ['b']);
  assert.deepEqual(routesLeft(['a'], slow(9)), ['a']);
  assert.deepEqual(routesLeft(['a'], slow(10)), []);
});

test('other failures of a running request do not count as its time-outs, but together it is resumed ten times', () => {
  const standing = (count: number, kind: AttemptFailure['kind']) =>
    Array.from({ length: count }, () => failure(kind, { route: 'a', resumable: true }));
  for (const kind of ['unavailable', 'network', 'rate_limited', 'bad_response'] as const) {
    const broken = standing(1, kind);
    const late = standing(1, 'timeout');
    assert.deepEqual(routesLeft(both, [...broken, ...late]), both);
    assert.deepEqual(routesLeft(both, [...late, ...broken]), both);
    assert.deepEqual(routesLeft(both, [...late, ...broken, ...late]), ['b']);
    assert.deepEqual(routesLeft(both, [...standing(9, kind), ...late]), ['b']);
  }
  const mixed = [...standing(5, 'timeout'), ...standing(4, 'network')];
  assert.deepEqual(routesLeft(['a'], mixed), ['a']);
  assert.deepEqual(routesLeft(['a'], [...mixed, ...standing(1, 'timeout')]), []);
});

test('safety blocks and bad input are final, however many routes there are', () => {
  for (const kind of ['safety_blocked', 'invalid_input'] as const)
    assert.equal(after(failure(kind, { route: 'a' })).kind, 'fail');
});

test('whatever fails, a job ends after a limited number of attempts', () => {
  const kinds = [
    'auth',
    'unavailable',
    'network',
    'timeout',
    'no_image',
    'bad_response',
    'lost',
    'store',
  ] as const;
  fc.assert(
    fc.property(
      fc.infiniteStream(
        fc.record({ kind: fc.constantFrom(...kinds), resumable: fc.boolean(), alone: fc.boolean() }),
      ),
      (stream) => {
        const failures: AttemptFailure[] = [];
        for (const { kind, resumable, alone } of stream) {
          const [route = 'a'] = routesLeft(both, failures);
          failures.push({ ...failure(kind, { route, resumable }), alone });
          if (decideRetry(failures, { leftMs: 900_000, routes: both }).kind === 'fail') break;
          assert.ok(failures.length < 80);
        }
      },
    ),
  );
});

test('no route gets more jobs than slots or a job it may not take, and no usable slot stays free', () => {
  const names = ['r1', 'r2', 'r3'];
  const jobs = fc.array(fc.record({ account: fc.constantFrom('x', 'y', 'z'), routes: fc.subarray(names) }), {
    maxLength: 20,
  });
  const free = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3));
  fc.assert(
    fc.property(jobs, free, fc.nat(12), (list, counts, limit) => {
      const waiting = list.map(({ account, routes }, index) => ({
        id: String(index).padStart(3, '0'),
        accountId: account,
        keyId: account,
        model: 'nb2',
        routes,
      }));
      const slots = names.map((routeId, index) => ({ routeId, free: counts[index] ?? 0 }));
      const claims = decideClaims(waiting, [], slots, limit);
      const left = new Map(slots.map(({ routeId, free }) => [routeId, free]));
      for (const { jobId, routeId } of claims) {
        assert.ok(waiting.find(({ id }) => id === jobId)?.routes.includes(routeId));
        left.set(routeId, (left.get(routeId) ?? 0) - 1);
      }
      assert.ok([...left.values()].every((count) => count >= 0));
      assert.equal(new Set(claims.map(({ jobId }) => jobId)).size, claims.length);
      const rest = waiting.filter(({ id }) => !claims.some(({ jobId }) => jobId === id));
      const usable = rest.some(({ routes }) => routes.some((route) => (left.get(route) ?? 0) > 0));
      assert.ok(claims.length === limit || !usable);
    }),
  );
});

test('the reason why a model’s jobs wait is the first of pause, workers, routes and slots', () => {
  const [able, full, out] = [
    { isOut: false, running: 1, slots: 2 },
    { isOut: false, running: 2, slots: 2 },
    { isOut: true, running: 0, slots: 2 },
  ];
  const idle = { slots: 2, jobs: 1 };
  const busy = { slots: 2, jobs: 2 };
  const rest = { isPaused: false, workers: [busy, idle], routes: [out, full, able] };
  assert.equal(decideHold(rest), 'none');
  assert.equal(decideHold({ ...rest, workers: [idle], routes: [able] }), 'none');
  assert.equal(decideHold({ isPaused: true, workers: [], routes: [out] }), 'paused');
  assert.equal(decideHold({ ...rest, workers: [], routes: [out] }), 'no_worker');
  assert.equal(decideHold({ ...rest, workers: [busy], routes: [out, out] }), 'routes_out');
  assert.equal(decideHold({ ...rest, workers: [busy], routes: [out, full] }), 'routes_full');
  assert.equal(decideHold({ ...rest, workers: [busy, busy] }), 'workers_busy');
});
