import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, clientOf, finished } from '../processes/support/client.ts';
import { type Installation, openInstallation } from '../processes/support/installation.ts';
import { startCluster } from '../world/postgres.ts';
import { noFakedClock, openFakedClock } from './support/faked-clock.ts';
import { until } from './support/server.ts';

const timeout = 300_000;
const hourMs = 3_600_000;
// The length of a lease, twice for a slow machine.
const withinMs = 40_000;

test('a process’s clock on SQLite jumps an hour forward and back: nothing is late, lost or made twice', {
  skip: noFakedClock,
  timeout,
}, async () => {
  using clock = openFakedClock();
  await using place = await openInstallation(undefined);
  const client = clientOf(await place.start('all', clock.env), (await place.account(10_000_000n)).key);
  let link: string | undefined;
  for (const offsetMs of [hourMs, 0, -hourMs])
    link = await overJump(place, client, () => clock.set(offsetMs), link);
});

test('the clock of the API, a worker or PostgreSQL jumps an hour forward and back: nothing is late, lost or made twice', {
  skip: noFakedClock,
  timeout,
}, async () => {
  using api = openFakedClock();
  using worker = openFakedClock();
  using database = openFakedClock();
  await using cluster = await startCluster({ env: database.env });
  await using place = await openInstallation({ url: cluster.url });
  await place.start('worker', worker.env);
  const client = clientOf(await place.start('api', api.env), (await place.account(10_000_000n)).key);
  let link: string | undefined;
  for (const clock of [worker, api, database]) {
    for (const offsetMs of [hourMs, 0]) link = await overJump(place, client, () => clock.set(offsetMs), link);
  }
});

/** Makes a clock jump while jobs run and rest, and returns a link that was created before. */
async function overJump(
  { database, operator }: Installation,
  client: Client,
  jump: () => void,
  link: string | undefined,
): Promise<string> {
  const before = balanceOf(await client('GET', '/balance'));
  const create = async (prompt: string) => {
    const body = { prompt, aspect_ratio: '1:1' };
    return String((await client('POST', '/nb/text-generations', { body })).body.job_id);
  };
  const running = await create('[[delay:4s]] a fox');
  const resting = await create('[[fail:unavailable:1]] a fox');
  await until(async () => (await jobOf(database, running)).status === 'processing');
  await until(async () => (await jobOf(database, resting)).failures !== '[]');

  jump();
  const jumpedAt = performance.now();
  const later = await create('a fox');
  for (const id of [running, resting, later]) assert.equal((await finished(client, id)).status, 'done');
  const tookMs = performance.now() - jumpedAt;
  assert.ok(tookMs < withinMs, `it took ${Math.round(tookMs)} ms`);

  const jobs = await Promise.all([running, resting, later].map((id) => jobOf(database, id)));
  assert.deepEqual(
    jobs.map(({ attempt }) => attempt),
    [1, 2, 1],
  );
  assert.equal(Math.round((before - balanceOf(await client('GET', '/balance'))) * 100), 6);
  assert.deepEqual((await operator.verify()).violations, []);
  const { result } = await finished(client, running);
  const { image_url: made } = result as { image_url: string }; // a done job has a result
  for (const address of [made, link ?? made]) {
    const response = await fetch(address);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
  return made;
}

async function jobOf(database: Installation['database'], jobId: string) {
  return database.read
    .selectFrom('jobs')
    .select(['status', 'attempt', 'failures'])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
}

function balanceOf({ body }: Awaited<ReturnType<Client>>): number {
  return Number(body.balance);
}
