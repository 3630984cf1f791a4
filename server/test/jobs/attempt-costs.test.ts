import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGuard } from '../../src/base/guard/guard.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const worker = { ...readConfig({}).worker, heartbeatMs: 600_000 }; // nothing extends leases or notices cancels

test('every attempt has its cost: billed, not billed, or unknown until its worker reports it', async () => {
  const provider = new TestProvider();
  const shared = { model: 'nb2', provider, slots: 8, timeoutMs: 600_000, cost: '0.02' };
  const routes: Route[] = ['nb2/first', 'nb2/second'].map((id) => ({ id, ...shared }));
  await using world = await openWorld({ config: { worker }, replacements: { routes } });
  const operator = await openOperator(world);
  const attemptsOf = async (job_id: string) => {
    const { attempts } = await operator.call('GET /admin/v1/jobs/:job_id', { params: { job_id } });
    return attempts.map(({ attempt, billed, cost, possible_cost: possible, usage }) => {
      return [attempt, billed, cost, possible, usage];
    });
  };
  const hold = async (...ends: TestProvider['handler'][]) => {
    const gates = ends.map(() => ({
      begun: Promise.withResolvers<void>(),
      go: Promise.withResolvers<void>(),
    }));
    provider.handler = async (request, context) => {
      const gate = gates[context.attempt - 1];
      gate?.begun.resolve();
      await gate?.go.promise;
      return (ends[context.attempt - 1] ?? provider.answer.bind(provider))(request, context);
    };
    const jobId = await world.create();
    await gates[0]?.begun.promise;
    return { jobId, gates };
  };
  const run = async (...ends: TestProvider['handler'][]) => {
    const { jobId, gates } = await hold(...ends);
    for (const { go } of gates) go.resolve();
    await world.finished(jobId);
    return attemptsOf(jobId);
  };
  const refuse = async () => Promise.reject(new ProviderError('unsupported', 'Not of this size.'));
  const answer: TestProvider['handler'] = async (request) => provider.answer(request);
  const usage = { input_tokens: 5, output_tokens: 9 };
  const billed = [1, 'billed', '0.02', null, null];

  assert.deepEqual(await run(answer), [billed]);
  assert.deepEqual(await run(refuse, answer), [
    [1, 'not_billed', '0.00', null, null],
    [2, 'billed', '0.02', null, null],
  ]);
  const withoutImage = await run(async (_, { onCharge }) => {
    onCharge({ usage });
    throw failure('safety_blocked');
  });
  assert.deepEqual(withoutImage, [[1, 'billed', '0.02', null, usage]], 'the answer says what it used');
  const fails = (isEarly: boolean) =>
    run(async (_, { onCharge }) => {
      onCharge({ used: { image: 1 }, isEarly });
      throw failure('safety_blocked');
    });
  assert.deepEqual(await fails(false), [billed], 'the answer says so without usage');
  assert.deepEqual(await fails(true), [[1, 'unknown', null, '0.02', null]], 'it may not have been made');
  assert.deepEqual(await run(async () => Promise.reject(failure('safety_blocked'))), [
    [1, 'unknown', null, '0.02', null],
  ]);
  assert.deepEqual(await run(async () => ({ bytes: Buffer.from('no image') }), answer), [
    billed,
    [2, 'billed', '0.02', null, null],
  ]);

  const cancelled = await hold(answer);
  await world.send('POST', `/jobs/${cancelled.jobId}/cancel`);
  assert.deepEqual(await attemptsOf(cancelled.jobId), [[1, 'unknown', null, '0.02', null]]);
  cancelled.gates[0]?.go.resolve();
  await eventually(
    () => attemptsOf(cancelled.jobId),
    ([first]) => first?.[1] === 'billed',
  );

  const resting = await hold(async (_, { onSubmitted }) => {
    await onSubmitted('upstream-1');
    throw new ProviderError('unavailable', 'Come back.', { resumable: true, retryAfterMs: 600_000 });
  });
  resting.gates[0]?.go.resolve();
  await eventually(
    () => attemptsOf(resting.jobId),
    ([first]) => first?.[1] === 'not_billed',
  );
  await world.send('POST', `/jobs/${resting.jobId}/cancel`);
  assert.deepEqual(
    await attemptsOf(resting.jobId),
    [[1, 'unknown', null, '0.02', null]],
    'it is resumed no more',
  );

  const lost = await hold(answer, answer);
  await world.elapse(worker.leaseMs + 1_000);
  await lost.gates[1]?.begun.promise;
  assert.deepEqual(await attemptsOf(lost.jobId), [[1, 'unknown', null, '0.02', null]]);
  for (const { go } of lost.gates) go.resolve();
  await world.finished(lost.jobId);
  const twice = await eventually(
    () => attemptsOf(lost.jobId),
    (all) => all.every(([, one]) => one === 'billed'),
  );
  assert.equal(twice.length, 2, 'both were made');
  const page = await operator.call('GET /panel/accounts/:account_id/jobs/:job_id', {
    params: { job_id: lost.jobId },
  });
  assert.deepEqual(
    page.upstream?.attempts.map(({ cost, currency }) => [cost, currency]),
    [
      ['0.02', 'USD'],
      ['0.02', 'USD'],
    ],
  );
});

test('an attempt may be billed if the next one leaves its upstream request behind for another route', async () => {
  class Queue extends TestProvider {
    override readonly capabilities = { ...new TestProvider().capabilities, resumable: true, exact: false };
  }
  const [first, second] = [new Queue(), new Queue()];
  first.handler = async (_, { onSubmitted }) => {
    await onSubmitted('upstream-1');
    // The upstream refuses a poll after it accepted the request.
    throw new ProviderError('quota', 'No credit.', { resumable: true, proven: 'quota' });
  };
  const shared = { model: 'nb2', slots: 8, timeoutMs: 600_000, cost: '0.02' };
  const routes: Route[] = [
    { id: 'nb2/first', provider: first, ...shared },
    { id: 'nb2/second', provider: second, ...shared },
  ];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const job_id = await world.create();
  assert.equal((await world.finished(job_id)).status, 'done');
  const { attempts } = await operator.call('GET /admin/v1/jobs/:job_id', { params: { job_id } });
  assert.deepEqual(
    attempts.map(({ attempt, route, billed, possible_cost: possible }) => [attempt, route, billed, possible]),
    [
      [1, 'nb2/first', 'unknown', '0.02'],
      [2, 'nb2/second', 'billed', null],
    ],
  );
});

const broken = { status: 502, body: 'bad gateway' };
const forgotten = { status: 404, body: { detail: 'Not found' } };

describe('a request that is read again', { concurrency: true }, () => {
  test('an attempt may be billed if the upstream completed its request and has forgotten the result', async () => {
    await using emulator = await startFal();
    emulator.answer('result', forgotten);
    const { attempts } = await attemptsOn({ id: 'nb2/fal', provider: falAt(emulator.url), cost: '0.02' });
    assert.equal(attempts[0]?.billed, 'unknown');
  });

  test('an attempt may be billed if the upstream has forgotten the request that it accepted', async () => {
    await using emulator = await startFal();
    Object.assign(emulator.size, { width: 1024, height: 1024 });
    // The first attempt gives up after five polls; the second finds that fal has forgotten the request.
    emulator.answer('status', broken, broken, broken, broken, broken, forgotten);
    const made = await attemptsOn({ id: 'nb2/fal', provider: falAt(emulator.url), cost: '0.02' });
    assert.deepEqual([made.status, emulator.accepted.length], ['done', 2]);
    assert.deepEqual(
      made.attempts.map(({ attempt, billed, possible_cost: possible }) => [attempt, billed, possible]),
      [
        [1, 'not_billed', null],
        [2, 'unknown', '0.02'],
        [3, 'billed', null],
      ],
    );
  });

  test('the attempt that resumes a task of Black Forest Labs has the cost that only its submission named', async () => {
    await using emulator = await startBfl();
    Object.assign(emulator.size, { width: 1024, height: 1024 });
    // The first attempt gives up after five polls.
    emulator.answer('status', broken, broken, broken, broken, broken);
    const settings = { model: 'flux-2-pro', baseUrl: `${emulator.url}/v1`, pollMs: 1 };
    const provider = createBfl(settings, { apiKey: bflKey }, createGuard({ allowNetworks: [] }));
    const made = await attemptsOn({ id: 'nb2/bfl', provider });
    assert.deepEqual([made.status, emulator.accepted.length], ['done', 1]);
    assert.deepEqual(
      made.attempts.map(({ attempt, billed, cost, usage }) => [attempt, billed, cost, usage]),
      [
        [1, 'not_billed', '0.00', { cost: 3 }],
        [2, 'billed', '0.03', { cost: 3 }],
      ],
    );
  });
});

function falAt(baseUrl: string) {
  const settings = { model: 'fal-ai/nano-banana-2', baseUrl, pollMs: 1 };
  return createFal(settings, { key: falKey }, createGuard({ allowNetworks: [] }));
}

/** Runs a job on this route alone. */
async function attemptsOn(route: Pick<Route, 'id' | 'provider' | 'cost'>) {
  const routes = [{ model: 'nb2', slots: 8, timeoutMs: 600_000, ...route }];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const job_id = await world.create();
  const { status } = await world.finished(job_id);
  const { attempts } = await operator.call('GET /admin/v1/jobs/:job_id', { params: { job_id } });
  return { status, attempts };
}
