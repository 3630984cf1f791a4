import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { assertRefused, pointersOf } from '../http/support/refusal.ts';
import { eventually, postText } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { claimOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

beforeEach(() => {
  world.provider.handler = async (request) => world.provider.answer(request);
});

function hold({ provider }: World): Promise<void> {
  return new Promise((begun) => {
    provider.handler = (_request, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        begun();
      });
  });
}

test('a job that is done in time shows its deadline, and is not affected by it', async () => {
  const at = new Date(world.clock.nowMs() + 60_000).toISOString();
  const done = await world.finished(await world.create(undefined, { deadline: at }));
  assert.deepEqual([done.status, done.deadline], ['done', at]);
  await world.elapse(120_000);
  const { body } = await world.send('GET', `/jobs/${done.job_id}`);
  assert.equal(body.status, 'done');
  assert.equal('deadline' in (await world.finished(await world.create())), false);
});

test('a job that is still being made at its deadline is stopped, fails, and costs nothing', async () => {
  const { key } = await world.account('hurried', { creditMicros: 40_000n });
  const begun = hold(world);
  const from = { authorization: `Bearer ${key}` };
  let jobId: string;
  {
    await using _held = await world.hold(); // without this, it may be late before it begins
    jobId = await world.create(undefined, { deadline_seconds: 1 }, from);
    await begun;
  }
  const job = await world.finished(jobId, key);
  assert.deepEqual([job.status, job.error_code], ['failed', 'deadline_exceeded']);
  assert.match(String(job.error), /deadline.*Nothing was charged\.$/);
  assert.equal((await world.send('GET', '/balance', { headers: from })).body.available, '0.04');
});

test('an attempt has the time until the deadline, but no more than other jobs', async () => {
  await using idle = await openWorld({ worker: false });
  for (const own of [{ deadline_seconds: 60 }, { deadline_seconds: 172_800 }, {}])
    await idle.create(undefined, own);
  const routes = testRoutes(idle.provider);
  const options = { worker: 'own', routes, limit: 3, leaseMs: 60_000, jobTimeoutMs: 600_000 };
  const jobs = await claimOnce(idle.app.database, idle.watch, options);
  const [hurried, ...others] = jobs.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  assert.ok(hurried && hurried.leftMs > 0 && hurried.leftMs <= 60_000 && hurried.endsAtDeadline);
  for (const { leftMs, endsAtDeadline } of others)
    assert.deepEqual([leftMs, endsAtDeadline], [600_000, false]);
});

test('a job that fails before its deadline says why, and not that it was late', async () => {
  world.provider.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
  const job = await world.finished(await world.create(undefined, { deadline_seconds: 600 }));
  assert.deepEqual([job.status, job.error_code], ['failed', 'safety_blocked']);
});

test('a job that cannot begin before its deadline fails at it, and later jobs continue', async () => {
  const provider = new TestProvider();
  await using full = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    await released;
    return provider.answer(request);
  };
  const first = await full.create();
  const late = await full.create(undefined, { deadline_seconds: 1 });
  const patient = await full.create();
  assert.equal((await full.finished(late)).error_code, 'deadline_exceeded');
  release();
  for (const jobId of [first, patient]) assert.equal((await full.finished(jobId)).status, 'done');
});

test('a create and a batch are repeated after their deadline, and a new request with it is refused', async () => {
  const deadline = new Date(world.clock.nowMs() + 60_000).toISOString();
  const body = { prompt: 'a fox', aspect_ratio: '1:1', deadline };
  const requests = [{ model: 'nb2', mode: 'text', body }];
  const send = (path: string, key: string) =>
    world.send('POST', path, {
      body: path === '/batches' ? { requests } : body,
      headers: { 'idempotency-key': key },
    });
  const single = await send('/nb2/text-generations', 'late');
  const batch = await send('/batches', 'late-batch');
  assert.deepEqual([single.status, batch.status], [202, 202]);
  for (const path of [`/jobs/${single.body.job_id}`, `/batches/${batch.body.batch_id}`])
    await eventually(
      () => world.send('GET', path),
      ({ body }) => body.status === 'done',
    );
  await world.elapse(120_000);
  const again = await send('/nb2/text-generations', 'late');
  assert.deepEqual([again.status, again.body], [202, single.body]);
  const batchAgain = await send('/batches', 'late-batch');
  assert.deepEqual([batchAgain.status, batchAgain.body.batch_id], [202, batch.body.batch_id]);

  for (const [path, pointer, more] of [
    ['/nb2/text-generations', '/deadline', ''],
    ['/batches', '/requests/0/body/deadline', ' Nothing was accepted.'],
  ] as const)
    for (const headers of [{}, { 'idempotency-key': 'new' }]) {
      const sent = { body: path === '/batches' ? { requests } : body, headers };
      const refused = await assertRefused(
        world,
        () => world.send('POST', path, sent),
        422,
        'invalid_request',
      );
      assert.equal(refused.body.detail, `${pointer} must be in the future.${more}`);
      assert.deepEqual(refused.body.errors, [{ pointer, detail: 'must be in the future.' }]);
      const quote = await world.send('POST', `${path}?dry_run=true`, sent);
      assert.deepEqual([quote.status, quote.body.detail], [422, refused.body.detail]);
    }
});

test('every spelling of a time that a deadline accepts is checked', async () => {
  const dayMs = 86_400_000;
  const inDays = (days: number) => new Date(world.clock.nowMs() + days * dayMs).toISOString();
  const tomorrow = inDays(1).slice(0, 10);
  for (const deadline of [
    ...[`${tomorrow}T23:59:60Z`, `${tomorrow}T12:00:00+05`],
    ...[3, -1].flatMap((days) => [inDays(days).toLowerCase(), inDays(days).replace('T', ' ')]),
  ]) {
    const refused = await assertRefused(world, () => postText(world, { deadline }), 422, 'invalid_request');
    assert.deepEqual(pointersOf(refused), ['/deadline'], deadline);
  }
});

test('a deadline is a number of seconds or a time, in the future and within two days', async () => {
  const ago = new Date(world.clock.nowMs() - 1_000).toISOString();
  const wrong = {
    deadline: [0, -1, 1.5, '60', 'soon', ago, [ago], '2099-01-01T00:00:00Z', 172_801, null, {}],
    deadline_seconds: [0, -1, 1.5, '60', 172_801, null, {}],
  };
  for (const [field, values] of Object.entries(wrong))
    for (const value of values) {
      const refused = await assertRefused(
        world,
        () => postText(world, { [field]: value }),
        422,
        'invalid_request',
      );
      assert.deepEqual(pointersOf(refused), [`/${field}`], JSON.stringify(value));
    }
});

test('a deadline is a time or a number of seconds, and not both', async () => {
  const deadline = new Date(world.clock.nowMs() + 60_000).toISOString();
  const both = () => postText(world, { deadline, deadline_seconds: 60 });
  assert.deepEqual(pointersOf(await assertRefused(world, both, 422, 'invalid_request')), ['/deadline']);
});

test('seconds count from the request, also in the field for the time', async () => {
  for (const field of ['deadline_seconds', 'deadline']) {
    const before = world.clock.nowMs();
    const created = await postText(world, { [field]: 172_800 });
    const after = world.clock.nowMs();
    assert.equal(created.status, 202);
    const { body } = await world.send('GET', `/jobs/${created.body.job_id}`);
    const from = Date.parse(String(body.deadline)) - 172_800_000;
    assert.ok(before <= from && from <= after + 1, `${field}: ${from - before} ms later`);
  }
});

test('a request with another deadline is another request', async () => {
  const key = { 'idempotency-key': 'deadline' };
  const first = await postText(world, { deadline_seconds: 100 }, key);
  assert.equal((await postText(world, { deadline_seconds: 100 }, key)).body.job_id, first.body.job_id);
  assert.equal((await postText(world, { deadline_seconds: 200 }, key)).body.code, 'idempotency_key_reused');
});
