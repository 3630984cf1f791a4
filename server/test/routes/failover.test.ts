import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findJob } from '../../src/jobs/job-store.ts';
import { readCircuits } from '../../src/jobs/routes/circuit-store.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { falKey, falReplies, startFal } from '../emulators/fal.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';
import { eventually, guard, pretendedRoute } from './support.ts';

type Gemini = Awaited<ReturnType<typeof startGemini>>;

async function startUpstream(): Promise<Gemini> {
  const emulator = await startGemini();
  Object.assign(emulator.size, { width: 1024, height: 1024 });
  return emulator;
}

function geminiRoute(id: string, url: string, more: Partial<Route> = {}): Route {
  const provider = createGemini(
    { model: 'gemini-nano-banana-2.1', baseUrl: url },
    { apiKey: geminiKey },
    guard,
  );
  return { id, model: 'nb2', slots: 4, timeoutMs: 30_000, ...more, provider };
}

const overloaded = geminiReplies.error(503, 'UNAVAILABLE', 'The model is overloaded.');
const usedUp = geminiReplies.limited('GenerateRequestsPerDayPerProjectPerModel');

const stored = async ({ app }: World, jobId: string) => {
  const job = await findJob(app.database.read, jobId);
  assert.ok(job);
  return job;
};
const kindsOf = async (world: World, jobId: string) =>
  (await stored(world, jobId)).failures.map(({ route, kind }) => `${route} ${kind}`);
const stateOf = async ({ app }: World, route: string) =>
  (await readCircuits(app.database.read)).circuits.get(route)?.state;

describe('failover', { concurrency: true }, () => {
  test('a job whose first route is down is done by the second, well within its time-out', async () => {
    await using up = await startUpstream();
    const down = await startUpstream();
    await down[Symbol.asyncDispose]();
    const routes = [geminiRoute('nb2/down', down.url), geminiRoute('nb2/up', up.url)];
    await using world = await openWorld({ replacements: { routes } });
    const began = performance.now();
    const jobId = await world.create();
    assert.equal((await world.finished(jobId)).status, 'done');
    assert.ok(performance.now() - began < 30_000);
    assert.equal((await stored(world, jobId)).route, 'nb2/up');
    assert.deepEqual(await kindsOf(world, jobId), Array(3).fill('nb2/down network'));
    assert.equal((await world.balance()).balance, '99.96');
  });

  test('a route whose quota is used up is left at once and gets no further jobs', async () => {
    await using spent = await startUpstream();
    await using up = await startUpstream();
    spent.always('generate', usedUp);
    const routes = [geminiRoute('nb2/spent', spent.url), geminiRoute('nb2/up', up.url)];
    await using world = await openWorld({ replacements: { routes } });
    const first = await world.create();
    assert.equal((await world.finished(first)).status, 'done');
    assert.deepEqual(await kindsOf(world, first), ['nb2/spent quota']);
    assert.equal(await stateOf(world, 'nb2/spent'), 'rejected');
    const second = await world.create();
    assert.equal((await world.finished(second)).status, 'done');
    assert.equal(spent.of('generate').length, 1);
  });

  test('when the only route refuses us, jobs fail at once with a sentence, and a restart tries again', async () => {
    await using emulator = await startUpstream();
    emulator.always('generate', geminiReplies.badKey());
    const replacements = { routes: [geminiRoute('nb2/only', emulator.url)] };
    await using world = await openWorld({ replacements });
    for (const asked of [1, 1]) {
      const job = await world.finished(await world.create());
      assert.deepEqual([job.status, job.error_code], ['failed', 'provider_rejected']);
      assert.match(String(job.error), /operator/);
      assert.equal(emulator.of('generate').length, asked);
    }
    assert.deepEqual(await world.balance(), { balance: '100.00', reserved: '0.00', available: '100.00' });
    emulator.always('generate', geminiReplies.image(await imageOf(1024)));
    replacements.routes = [geminiRoute('nb2/only', emulator.url)];
    await world.restart();
    assert.equal((await world.finished(await world.create())).status, 'done');
    assert.equal(await stateOf(world, 'nb2/only'), undefined);
  });

  test('a safety block is final: no other route is tried', async () => {
    await using strict = await startUpstream();
    await using other = await startUpstream();
    strict.always('generate', geminiReplies.blocked('SAFETY'));
    const routes = [geminiRoute('nb2/strict', strict.url), geminiRoute('nb2/other', other.url)];
    await using world = await openWorld({ replacements: { routes } });
    const job = await world.finished(await world.create());
    assert.deepEqual([job.status, job.error_code], ['failed', 'safety_blocked']);
    assert.equal(other.requests.length, 0);
  });

  test('a job whose route refuses us while its request runs there moves on and forgets the request', async () => {
    await using emulator = await startFal();
    await using up = await startUpstream();
    // The request is running, but its key is refused from now on.
    emulator.always('status', falReplies.platform(401, 'Cannot access application.'));
    const provider = createFal(
      { model: 'fal-ai/nano-banana-2', baseUrl: emulator.url, pollMs: 10 },
      { key: falKey },
      guard,
    );
    const routes = [{ ...pretendedRoute('nb2/fal'), provider }, geminiRoute('nb2/up', up.url)];
    await using world = await openWorld({ replacements: { routes } });
    const jobId = await world.create();
    assert.equal((await world.finished(jobId)).status, 'done');
    const job = await stored(world, jobId);
    assert.deepEqual([job.route, job.remoteId], ['nb2/up', null]);
    assert.equal(emulator.accepted.length, 1);
  });

  test('a job that no route serves any longer fails before any request, and says what it needed', async () => {
    await using emulator = await startUpstream();
    const provider = createGemini(
      { model: 'gemini-3-pro-image', baseUrl: emulator.url },
      { apiKey: geminiKey },
      guard,
    );
    const routes = [{ ...pretendedRoute('nb2/pro'), provider }];
    await using world = await openWorld({ replacements: { routes } });
    assert.deepEqual(
      world.app.uncovered.at(1),
      'nb2: nobody makes 1:4, 1:8, 4:1, 8:1 at 1K, 2K, 4K, whatever the inputs',
    );
    routes.push(pretendedRoute('nb2/full', { slots: 0 }));
    const jobId = await world.create('/nb2/text-generations', { aspect_ratio: '8:1', resolution: '2K' });
    routes.pop();
    const job = await world.finished(jobId);
    assert.deepEqual([job.status, job.error_code], ['failed', 'provider_rejected']);
    assert.match(String(job.error), /nb2 that makes 8:1 at 2K from text alone/);
    assert.equal(job.started_at, null);
    assert.equal(emulator.requests.length, 0);
    assert.equal((await world.balance()).reserved, '0.00');
  });
});

describe('circuit breaker', { concurrency: true }, () => {
  test('opens after consecutive failures, tries one job after its rest, and closes if that succeeds', async () => {
    await using emulator = await startUpstream();
    emulator.always('generate', overloaded);
    const routes = [geminiRoute('nb2/only', emulator.url, { slots: 5 }), ...lookout()];
    await using world = await openWorld({ replacements: { routes } });
    const jobs = await Promise.all(Array.from({ length: 8 }, () => world.create()));
    await eventually(
      () => stateOf(world, 'nb2/only'),
      (state) => state === 'open',
    );
    await looked(world);
    await noneRuns(world);
    const asked = emulator.of('generate').length;
    {
      await using _held = await world.hold(); // without this, a slow machine may reach the end of the rest
      await world.elapse(2_000);
      await looked(world);
      await noneRuns(world);
      assert.equal(emulator.of('generate').length, asked, 'no request while the circuit is open');
    }

    emulator.always('generate', 'hang');
    const probe = emulator.arrived('generate');
    await world.elapse(10_000);
    await probe;
    await looked(world);
    assert.equal(emulator.of('generate').length, asked + 1, 'one job finds out');
    assert.equal(await runningIn(world), 1);

    emulator.always('generate', geminiReplies.image(await imageOf(1024)));
    await world.elapse(25_000); // the jump also ends the hanging job's lease
    for (const jobId of jobs) assert.equal((await world.finished(jobId)).status, 'done');
    assert.equal(await stateOf(world, 'nb2/only'), undefined);
  });

  test('a route that asks for a rest is not tried again before the rest is over', async () => {
    await using emulator = await startUpstream();
    emulator.answer('generate', geminiReplies.limited('GenerateRequestsPerMinute', '40s'));
    const routes = [geminiRoute('nb2/only', emulator.url), ...lookout()];
    await using world = await openWorld({ replacements: { routes } });
    const first = await world.create();
    await eventually(
      () => stateOf(world, 'nb2/only'),
      (state) => state === 'rate_limited',
    );
    let second: string;
    {
      await using _held = await world.hold(); // without this, a slow machine may reach the end of the rest
      second = await world.create();
      await world.elapse(30_000);
      await looked(world);
      await noneRuns(world);
      assert.equal(emulator.of('generate').length, 1);
    }
    await world.elapse(11_000);
    for (const jobId of [first, second]) assert.equal((await world.finished(jobId)).status, 'done');
    assert.equal(emulator.of('generate').length, 3);
  });

  test('a pace per minute applies across all jobs', async () => {
    await using emulator = await startUpstream();
    const routes = [geminiRoute('nb2/paced', emulator.url, { perMinute: 2 }), ...lookout()];
    await using world = await openWorld({ replacements: { routes } });
    const jobs = await Promise.all(Array.from({ length: 3 }, () => world.create()));
    for (const asked of [1, 2]) {
      await eventually(
        async () => emulator.of('generate').length,
        (count) => count >= asked,
      );
      await looked(world);
      await noneRuns(world);
      assert.equal(emulator.of('generate').length, asked);
      await world.elapse(30_000);
    }
    for (const jobId of jobs) assert.equal((await world.finished(jobId)).status, 'done');
  });

  test('jobs that wait for a resting route do not delay their account’s other jobs', async () => {
    await using emulator = await startUpstream();
    const long = geminiRoute('nb2/long', emulator.url);
    const square = geminiRoute('nb2/square', emulator.url);
    const routes = [withRatios(long, ['8:1']), withRatios(square, ['1:1'])];
    await using world = await openWorld({ replacements: { routes } });
    emulator.answer('generate', geminiReplies.limited('GenerateRequestsPerMinute', '600s'));
    const waiting = await world.create('/nb2/text-generations', { aspect_ratio: '8:1' });
    await eventually(
      () => stateOf(world, 'nb2/long'),
      (state) => state === 'rate_limited',
    );
    for (let n = 0; n < 10; n += 1) await world.create('/nb2/text-generations', { aspect_ratio: '8:1' });
    assert.equal((await world.finished(await world.create())).status, 'done');
    assert.equal((await stored(world, waiting)).status, 'processing');
    await world.elapse(910_000);
    assert.equal((await world.finished(waiting)).error_code, 'timed_out');
  });
});

test('an unusable image of a ComfyUI workflow is made again, then by the next workflow on the same server', async () => {
  await using emulator = await startComfyUi();
  Object.assign(emulator.size, { width: 1024, height: 1024 });
  const tooSmall = { body: await imageOf(64) };
  emulator.answer('view', tooSmall, tooSmall);
  const routeOf = (name: string): Route => {
    const workflow = {
      '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: name } },
      '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}' } },
    };
    const settings = { baseUrl: emulator.url, workflows: [workflow], pollMs: 10 };
    return { ...pretendedRoute(`nb2/${name}`), provider: createComfyUi(settings, {}, guard) };
  };
  await using world = await openWorld({ replacements: { routes: ['small', 'large'].map(routeOf) } });
  const jobId = await world.create();
  assert.equal((await world.finished(jobId)).status, 'done');
  assert.deepEqual(await kindsOf(world, jobId), Array(2).fill('nb2/small bad_response'));
  const used = emulator.of('submit').map((sent) => pick(sent.json(), 'prompt', '4', 'inputs', 'ckpt_name'));
  assert.deepEqual(used, ['small', 'small', 'large']);
});

/** A further route, which is always free. */
const lookout = () => testRoutes(new TestProvider()).filter(({ model }) => model === 'nb');
/**
 * Resolves when the worker has searched for jobs since the call. One search claims jobs for all routes, and the
 * next begins when it has ended.
 */
const looked = async (world: World) => {
  assert.equal((await world.finished(await world.create('/nb/text-generations'))).status, 'done');
};

const runningIn = async ({ app }: World) => {
  const rows = await app.database.read
    .selectFrom('jobs')
    .select('id')
    .where('worker', 'is not', null)
    .execute();
  return rows.length;
};

const noneRuns = (world: World) =>
  eventually(
    () => runningIn(world),
    (running) => running === 0,
  );

function withRatios(route: Route, ratios: string[]): Route {
  const { provider } = route;
  return { ...route, provider: { ...provider, capabilities: { ...provider.capabilities, ratios } } };
}

const imageOf = (side: number) => sampleImage({ width: side, height: side });
