import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideAdmissions, type KeyRecord } from '../../src/jobs/decide-admissions.ts';
import { decideClaims } from '../../src/jobs/decide-claims.ts';
import { decideRetry } from '../../src/jobs/decide-retry.ts';
import type { AttemptFailure } from '../../src/jobs/job.ts';

const account = { id: 'a', balanceMicros: 100n, reservedMicros: 0n };
const request = (jobId: string, key?: string, holder: string | null = null) => ({
  jobId,
  accountId: 'a',
  model: 'nb2' as const,
  priceMicros: 40n,
  idempotency: key === undefined ? null : { key, fingerprint: 'f', holder },
});
const record = (more: Partial<KeyRecord>): KeyRecord => ({
  accountId: 'a',
  key: 'k',
  fingerprint: 'f',
  jobId: null,
  holder: null,
  heldUntil: null,
  ...more,
});
const state = { accounts: [account], records: [], pauses: [], nowMs: 1_000 };
const kinds = (list: { kind: string }[]) => list.map(({ kind }) => kind);

test('a batch admits in order for as long as the money lasts', () => {
  const decided = decideAdmissions([request('1'), request('2'), request('3')], state);
  assert.deepEqual(kinds(decided), ['admitted', 'admitted', 'insufficient']);
  assert.deepEqual(decided[2], { kind: 'insufficient', availableMicros: 20n });
});

test('the same key twice in one batch is one job', () => {
  assert.deepEqual(decideAdmissions([request('1', 'k'), request('2', 'k')], state), [
    { kind: 'admitted' },
    { kind: 'replayed', jobId: '1' },
  ]);
});

test('a replay is answered without money and while paused', () => {
  const poor = { ...state, accounts: [], records: [record({ jobId: '0' })] };
  const pauses = [{ scope: 'project' as const, reason: null, until: null }];
  assert.deepEqual(decideAdmissions([request('1', 'k')], { ...poor, pauses }), [
    { kind: 'replayed', jobId: '0' },
  ]);
  assert.deepEqual(kinds(decideAdmissions([request('1', 'other')], { ...poor, pauses })), ['paused']);
});

test('a held key stops others, admits its holder, and is free once its time is over', () => {
  const records = [record({ holder: 'h', heldUntil: 2_000 })];
  assert.deepEqual(kinds(decideAdmissions([request('1', 'k')], { ...state, records })), ['in_progress']);
  assert.deepEqual(kinds(decideAdmissions([request('1', 'k', 'h')], { ...state, records })), ['admitted']);
  assert.deepEqual(kinds(decideAdmissions([request('1', 'k')], { ...state, records, nowMs: 2_000 })), [
    'admitted',
  ]);
});

test('a known key with another request is refused', () => {
  const records = [record({ jobId: '0', fingerprint: 'other' })];
  assert.deepEqual(kinds(decideAdmissions([request('1', 'k')], { ...state, records })), ['key_reused']);
});

test('no batch ever admits more than the money, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ price: fc.bigInt(0n, 60n), key: fc.option(fc.constantFrom('k', 'l', 'm')) })),
      fc.bigInt(0n, 200n),
      (list, balanceMicros) => {
        const requests = list.map(({ price, key }, index) => ({
          ...request(String(index), key ?? undefined),
          priceMicros: price,
        }));
        const decided = decideAdmissions(requests, { ...state, accounts: [{ ...account, balanceMicros }] });
        const spent = requests.reduce(
          (sum, one, index) => (decided[index]?.kind === 'admitted' ? sum + one.priceMicros : sum),
          0n,
        );
        assert.ok(spent <= balanceMicros);
        const keys = requests.flatMap((one, index) =>
          decided[index]?.kind === 'admitted' && one.idempotency ? [one.idempotency.key] : [],
        );
        assert.equal(new Set(keys).size, keys.length);
      },
    ),
  );
});

const job = (id: string, accountId: string) => ({ id, accountId, model: 'nb2' as const });
const slots = [{ routeId: 'r', model: 'nb2' as const, free: 2 }];

test('a free slot goes to the account with the fewest jobs running, then to the oldest job', () => {
  const waiting = [job('1', 'hog'), job('2', 'hog'), job('3', 'late')];
  assert.deepEqual(
    decideClaims(waiting, new Map(), slots, 10).map(({ jobId }) => jobId),
    ['1', '3'],
  );
  assert.deepEqual(
    decideClaims(waiting, new Map([['late', 1]]), slots, 10).map(({ jobId }) => jobId),
    ['1', '2'],
  );
});

test('routes fill up in their order and never beyond their slots', () => {
  const two = [
    { routeId: 'first', model: 'nb2' as const, free: 1 },
    { routeId: 'second', model: 'nb2' as const, free: 1 },
  ];
  const claims = decideClaims([job('1', 'a'), job('2', 'a'), job('3', 'a')], new Map(), two, 10);
  assert.deepEqual(claims, [
    { jobId: '1', routeId: 'first' },
    { jobId: '2', routeId: 'second' },
  ]);
});

test('a job of a model without a free slot does not keep the next one waiting', () => {
  const waiting = [{ ...job('1', 'a'), model: 'pro' as const }, job('2', 'a')];
  assert.deepEqual(decideClaims(waiting, new Map(), slots, 10), [{ jobId: '2', routeId: 'r' }]);
});

const failure = (kind: AttemptFailure['kind']): AttemptFailure => ({
  attempt: 1,
  at: 0,
  route: 'r',
  kind,
  message: 'It failed.',
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
  assert.deepEqual(retries('lost'), { retries: 2, errorCode: 'interrupted' });
});

test('a retry waits as long as the upstream asked, and a job without time left fails as timed out', () => {
  const soon = decideRetry([failure('rate_limited')], { leftMs: 900_000, retryAfterMs: 60_000 });
  assert.deepEqual(soon, { kind: 'retry', delayMs: 60_000 });
  const late = decideRetry([failure('rate_limited')], { leftMs: 30_000, retryAfterMs: 60_000 });
  assert.equal(late.kind === 'fail' && late.errorCode, 'timed_out');
});
