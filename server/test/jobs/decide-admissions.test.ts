import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideAdmissions, type KeyRecord } from '../../src/jobs/admission/decide-admissions.ts';
import { type JobMeter, type Limit, toldNothing } from '../../src/money/limits/limit.ts';

const account = { id: 'a', balanceMicros: 100n, reservedMicros: 0n };
const request = (jobId: string, key?: string, holder: string | null = null) => ({
  jobIds: [jobId],
  accountId: 'a',
  models: ['nb2'],
  priceMicros: 40n,
  inputBytes: 0n,
  subjectIds: ['a', 'key'],
  unserved: null,
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
const state = {
  accounts: [account],
  records: [],
  pauses: [],
  limits: [],
  nowMs: 1_000,
};
const kinds = (list: { kind: string }[]) => list.map(({ kind }) => kind);

test('a batch admits in order for as long as the money lasts', () => {
  const decided = decideAdmissions([request('1'), request('2'), request('3')], state);
  assert.deepEqual(kinds(decided), ['admitted', 'admitted', 'insufficient']);
  assert.deepEqual(decided[2], { kind: 'insufficient', availableMicros: 20n, debtMicros: 0n });
});

test('limits apply across a batch, only to their subjects’ requests, and restart with each period', () => {
  const limit = (id: string, more: Partial<Limit<JobMeter>>): Limit<JobMeter> => ({
    subject: { kind: 'key', id },
    meter: 'total',
    most: 119n,
    isDefault: false,
    used: 30n,
    startsAt: 0,
    told: toldNothing,
    ...more,
  });
  const of = (id: string, jobId: string, priceMicros = 40n) => ({
    ...request(jobId),
    subjectIds: ['a', id],
    priceMicros,
  });
  const rich = { ...state, accounts: [{ ...account, balanceMicros: 1_000n }] };
  const limits = [limit('t', {}), limit('u', { most: 2n, used: 1n, meter: 'open' })];
  const asked = [
    of('t', '1'),
    of('t', '2'),
    of('t', '3'),
    of('u', '4'),
    of('v', '5'),
    of('t', '6', 9n),
    of('u', '7'),
  ];
  const decided = decideAdmissions(asked, { ...rich, limits });
  assert.deepEqual(kinds(decided), [
    'admitted',
    'admitted',
    'limited',
    'admitted',
    'admitted',
    'admitted',
    'limited',
  ]);
  assert.deepEqual(decided[2], { kind: 'limited', limit: { ...limit('t', {}), used: 110n } });

  const noon = Date.UTC(2026, 1, 28, 12);
  const midnight = Date.UTC(2026, 1, 28);
  const full = [limit('t', { used: 119n, meter: 'day', startsAt: midnight })];
  const at = (nowMs: number) => kinds(decideAdmissions([of('t', '1')], { ...rich, limits: full, nowMs }));
  assert.deepEqual(at(noon), ['limited']);
  assert.deepEqual(at(midnight - 1), ['limited'], 'a clock that went back');
  assert.deepEqual(at(midnight + 86_400_000), ['admitted']);
});

test('the same key twice in one batch is one job', () => {
  assert.deepEqual(decideAdmissions([request('1', 'k'), request('2', 'k')], state), [
    { kind: 'admitted', jobIds: ['1'] },
    { kind: 'replayed', jobIds: ['1'] },
  ]);
});

test('a replay is answered even without money and while paused', () => {
  const poor = { ...state, accounts: [], records: [record({ jobId: '0' })] };
  const pauses = [{ scope: 'project' as const, reason: null, until: null, since: 0 }];
  assert.deepEqual(decideAdmissions([request('1', 'k')], { ...poor, pauses }), [
    { kind: 'replayed', jobIds: ['0'] },
  ]);
  assert.deepEqual(kinds(decideAdmissions([request('1', 'other')], { ...poor, pauses })), ['paused']);
});

test('a reserved key stops others, admits its holder, and is free once its time is over', () => {
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

test('several jobs of one request are admitted together or not at all', () => {
  const two = { ...request('1'), jobIds: ['1a', '1b'], models: ['nb', 'nb2'], priceMicros: 80n };
  assert.deepEqual(decideAdmissions([two, request('2')], state), [
    { kind: 'admitted', jobIds: ['1a', '1b'] },
    { kind: 'insufficient', availableMicros: 20n, debtMicros: 0n },
  ]);
  const three = { ...request('1'), jobIds: ['1a', '1b', '1c'], priceMicros: 120n };
  assert.deepEqual(decideAdmissions([three, request('2')], state), [
    { kind: 'insufficient', availableMicros: 100n, debtMicros: 0n },
    { kind: 'admitted', jobIds: ['2'] },
  ]);
  const pauses = [{ scope: 'nb', reason: null, until: null, since: 0 }];
  assert.deepEqual(kinds(decideAdmissions([two, request('2')], { ...state, pauses })), [
    'paused',
    'admitted',
  ]);
});

test('a replay of several jobs gives the same jobs, and other requests cannot take their keys', () => {
  const two = { ...request('1', 'k'), jobIds: ['1a', '1b'] };
  const [first, again] = decideAdmissions([two, { ...two, jobIds: ['2a', '2b'] }], state);
  assert.deepEqual(again, { ...first, kind: 'replayed' });
  const records = [record({ jobId: '1a' }), record({ key: 'k 1', jobId: '1b' })];
  assert.deepEqual(decideAdmissions([{ ...two, jobIds: ['2a', '2b'] }], { ...state, records }), [
    { kind: 'replayed', jobIds: ['1a', '1b'] },
  ]);
  // The second job was removed with its key.
  assert.deepEqual(decideAdmissions([two], { ...state, records: records.slice(0, 1) }), [
    { kind: 'replayed', jobIds: ['1a'] },
  ]);
  assert.deepEqual(
    kinds(
      decideAdmissions([{ ...two, idempotency: { key: 'k', holder: null, fingerprint: '3' } }], {
        ...state,
        records,
      }),
    ),
    ['key_reused'],
  );
});

test('no batch ever admits more than the money allows, whatever the requests', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          price: fc.bigInt(0n, 60n),
          count: fc.integer({ min: 1, max: 4 }),
          key: fc.option(fc.constantFrom('k', 'l', 'm')),
        }),
      ),
      fc.bigInt(0n, 200n),
      (list, balanceMicros) => {
        const requests = list.map(({ price, count, key }, index) => ({
          ...request(String(index), key ?? undefined),
          priceMicros: price * BigInt(count),
          jobIds: Array.from({ length: count }, (_, nth) => `${index} ${nth}`),
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
