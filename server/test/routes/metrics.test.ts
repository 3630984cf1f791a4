import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { createMeter } from '../../src/base/metrics/meter.ts';
import { reportRoutes } from '../../src/jobs/routes/report-routes.ts';
import { createMetrics } from '../../src/jobs/upkeep/create-metrics.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { freePort } from '../world/free-port.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { eventually, guard, pretendedRoute } from './support.ts';

async function sample(world: World, name: string): Promise<number | undefined> {
  const { body } = await get(world.url);
  const line = body.split('\n').find((line) => line.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

function get(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(`${url}/metrics`, { headers }, async (response) => {
      resolve({
        status: response.statusCode ?? 0,
        body: (await response.setEncoding('utf8').toArray()).join(''),
      });
    })
      .on('error', reject)
      .end();
  });
}

test('metrics count ended jobs by route, and show queue, slots and health', async () => {
  await using emulator = await startGemini();
  Object.assign(emulator.size, { width: 1024, height: 1024 });
  const provider = createGemini({ model: 'g', baseUrl: emulator.url }, { apiKey: geminiKey }, guard);
  const full = pretendedRoute('nb/full', { model: 'nb', slots: 0 });
  const routes = [{ ...pretendedRoute('nb2/gemini'), provider }, full];
  await using world = await openWorld({ replacements: { routes } });
  assert.equal(await sample(world, 'darkroom_jobs_waiting{model="nb2"}'), 0);
  const labels = 'model="nb2",route="nb2/gemini"';
  assert.equal(await sample(world, `darkroom_route_slots{${labels},provider="gemini"}`), 4);
  assert.equal(await sample(world, 'darkroom_route_state{route="nb2/gemini",state="closed"}'), 1);

  await world.finished(await world.create());
  emulator.always('generate', geminiReplies.badKey());
  await world.finished(await world.create());
  await world.create('/nb/text-generations'); // no slot is free, so this job waits
  const done = `darkroom_jobs_ended_total{${labels},status="done",error_code=""}`;
  // Ends are counted two seconds later, and a reading is cached for one second.
  await world.elapse(3_000);
  await eventually(
    () => sample(world, done),
    (count) => count === 1,
  );
  assert.equal(
    await sample(
      world,
      `darkroom_jobs_ended_total{${labels},status="failed",error_code="provider_rejected"}`,
    ),
    1,
  );
  assert.equal(await sample(world, `darkroom_job_seconds_count{${labels}}`), 1);
  assert.equal(await sample(world, 'darkroom_route_state{route="nb2/gemini",state="rejected"}'), 1);
  assert.equal(await sample(world, 'darkroom_route_state{route="nb2/gemini",state="closed"}'), 0);
  assert.ok(((await sample(world, 'nodejs_eventloop_lag_seconds')) ?? -1) >= 0);
  // Samples are seldom enough that they do not keep an idle processor awake, and include their interval.
  await eventually(
    () => sample(world, 'nodejs_eventloop_lag_min_seconds'),
    (seconds) => seconds !== undefined && seconds > 0.03 && seconds < 10,
  );

  const route = { ...pretendedRoute('nb2/gemini'), provider: 'gemini', upstream: 'g' };
  const [report] = await reportRoutes(world.app.database, [route]);
  assert.deepEqual(
    [report?.state, report?.reason, report?.done, report?.failed, report?.upstream_model],
    ['rejected', 'auth', 1, 1, 'g'],
  );
  assert.match(report?.detail ?? '', /API key not valid/);
  assert.ok(report?.p50_seconds !== null);

  // Counts stay when another process continues them, and a process reports only its own numbers.
  const other = createMetrics(
    world.app.database,
    createMeter(),
    () => [],
    async () => [],
    silentLog,
  );
  const text = await other.read();
  assert.doesNotMatch(text, /darkroom_/);
  assert.match(text, /^nodejs_eventloop_lag_seconds /m);
  await world.elapse(151_000);
  const heir = createMetrics(
    world.app.database,
    createMeter(),
    () => [],
    () => new Promise<never>(() => {}), // a month's margins that take very long to read
    silentLog,
  );
  assert.ok((await heir.read()).includes(`${done} 1\n`));
  await eventually(
    () => sample(world, done),
    (count) => count === undefined,
  );
  await world.elapse(151_000);
  await eventually(
    () => sample(world, done),
    (count) => count === 1,
  );
});

test('another process reports the installation within minutes, even if the clock was set back', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const read = () =>
    createMetrics(
      database,
      createMeter(),
      () => [],
      async () => [],
      silentLog,
    ).read();
  assert.match(await read(), /darkroom_/);
  assert.doesNotMatch(await read(), /darkroom_/);
  await world.jump(-24 * 60 * 60_000);
  await world.elapse(151_000);
  assert.match(await read(), /darkroom_/);
});

test('metrics are only for this machine, or for clients with the token', async () => {
  await using world = await openWorld();
  assert.equal((await get(world.url)).status, 200);
  assert.equal((await get(world.url, { 'x-forwarded-for': '192.0.2.1' })).status, 404);
  for (const host of ['evil.example', 'localhost.evil.example', '192.0.2.1', '127.0.0.1.evil.example:3000'])
    assert.equal((await get(world.url, { host })).status, 404, `a name that leads here: ${host}`);
  assert.equal((await get(world.url, { host: 'localhost:3000' })).status, 200);
  const port = String(await freePort());
  const env = { PORT: port, DARKROOM_PUBLIC_URL: 'https://images.example' };
  await using _behindProxy = await openWorld({ env });
  assert.equal((await get(`http://127.0.0.1:${port}`)).status, 404, 'a proxy may ask as this machine does');
  await using guarded = await openWorld({ env: { DARKROOM_METRICS_TOKEN: 'a-token' } });
  assert.equal((await get(guarded.url)).status, 404);
  assert.equal((await get(guarded.url, { authorization: 'Bearer b-token' })).status, 404);
  const { status, body } = await get(guarded.url, {
    authorization: 'Bearer a-token',
    'x-forwarded-for': '192.0.2.1',
  });
  assert.equal(status, 200);
  assert.match(body, /^# TYPE darkroom_jobs_ended_total counter$/m);
});
