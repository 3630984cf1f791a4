import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findJob } from '../../src/jobs/job-store.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import type { Provider } from '../../src/upstream/providers/provider.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openWorld, type World } from '../world/world.ts';
import { eventually, guard, pretendedRoute } from './support.ts';

// A time that no other timer has.
const timeoutMs = 598_765;

/** Ends attempts as their time-out would, once they have come as far as the test needs, however slow the machine is. */
function holdTimeOuts({ mock }: TestContext) {
  const begun: (() => void)[] = [];
  const start = globalThis.setTimeout;
  const watched = (end: () => void, ms?: number) => {
    if (ms === timeoutMs) begun.push(end);
    return start(end, ms);
  };
  mock.method(globalThis, 'setTimeout', watched as typeof setTimeout); // what the program calls it with
  return {
    /** Resolves with the end of the next attempt when that has begun. */
    async next(): Promise<() => void> {
      await eventually(
        async () => begun.length,
        (count) => count > 0,
      );
      return begun.shift() ?? assert.fail();
    },
  };
}

const size = { width: 1024, height: 1024 };

async function startUp() {
  const emulator = await startGemini();
  Object.assign(emulator.size, size);
  return emulator;
}

const geminiAt = (baseUrl: string) =>
  createGemini({ model: 'gemini-nano-banana-2.1', baseUrl }, { apiKey: geminiKey }, guard);
const falAt = (baseUrl: string) =>
  createFal({ model: 'fal-ai/nano-banana-2', baseUrl, pollMs: 10 }, { key: falKey }, guard);
const slowRoute = (provider: Provider) => ({ ...pretendedRoute('nb2/slow'), timeoutMs, provider });
const upRoute = (url: string) => ({ ...pretendedRoute('nb2/up'), provider: geminiAt(url) });

async function stored({ app }: World, jobId: string) {
  return (await findJob(app.database.read, jobId)) ?? assert.fail();
}

async function assertMovedOn(world: World, jobId: string): Promise<void> {
  assert.equal((await world.finished(jobId)).status, 'done');
  const { failures, route } = await stored(world, jobId);
  assert.deepEqual(
    failures.map((one) => `${one.route} ${one.kind}`),
    ['nb2/slow timeout', 'nb2/slow timeout'],
  );
  assert.equal(route, 'nb2/up');
}

test('a call that timed out is repeated once, then the next route is tried', async (t) => {
  const timeOuts = holdTimeOuts(t);
  await using slow = await startUp();
  await using up = await startUp();
  slow.always('generate', 'hang');
  const routes = [slowRoute(geminiAt(slow.url)), upRoute(up.url)];
  await using world = await openWorld({ replacements: { routes } });
  const jobId = await world.create();
  for (const call of [1, 2]) {
    const timeOut = await timeOuts.next();
    await eventually(
      async () => slow.of('generate').length,
      (calls) => calls === call,
    );
    timeOut();
  }
  await assertMovedOn(world, jobId);
  assert.equal(slow.of('generate').length, 2);
});

test('a request that still runs at the upstream when its time is over is resumed, not paid for twice', async (t) => {
  const timeOuts = holdTimeOuts(t);
  await using slow = await startFal();
  Object.assign(slow.size, size);
  slow.answer('status', 'hang');
  await using world = await openWorld({ replacements: { routes: [slowRoute(falAt(slow.url))] } });
  const polled = slow.arrived('status');
  const jobId = await world.create();
  await polled;
  (await timeOuts.next())();
  assert.equal((await world.finished(jobId)).status, 'done');
  assert.equal(slow.accepted.length, 1);
  const { failures } = await stored(world, jobId);
  assert.deepEqual(
    failures.map(({ kind, resumable }) => [kind, resumable]),
    [['timeout', true]],
  );
});

test('a resumable route that is too slow twice is cancelled at the upstream, and the next route makes the image', async (t) => {
  const timeOuts = holdTimeOuts(t);
  await using slow = await startFal();
  await using up = await startUp();
  slow.always('status', { status: 202, body: { status: 'IN_PROGRESS' } });
  const routes = [slowRoute(falAt(slow.url)), upRoute(up.url)];
  await using world = await openWorld({ replacements: { routes } });
  const jobId = await world.create();
  for (const _attempt of [1, 2]) {
    const timeOut = await timeOuts.next();
    await slow.arrived('status');
    timeOut();
  }
  await assertMovedOn(world, jobId);
  assert.equal(slow.accepted.length, 1, 'the second attempt took up the request of the first');
  const cancelled = await eventually(
    async () => slow.cancelled,
    (ids) => ids.length > 0,
  );
  assert.deepEqual(cancelled, slow.accepted);
});
