import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startProxy } from '../../faults/tcp-proxy.ts';
import { startCluster } from '../world/postgres.ts';
import { openWorld, type World } from '../world/world.ts';
import { type Answer, openLoop } from './support/open-loop.ts';

const skip = !process.env.TEST_DATABASE_URL;
const timeout = 180_000;
const slowForSeconds = 10;
// How long the queue waits, and the time that two batches may take until they are given up.
const mostMs = 25_000;

function offerCreates({ url, key }: World, perSecond: number) {
  return openLoop({
    url,
    path: '/nb2/text-generations',
    headers: { authorization: `Bearer ${key}` },
    body: { prompt: 'a fox', aspect_ratio: '1:1' },
    perSecond,
    seconds: slowForSeconds,
    mostAtOnce: 2_000,
    patienceMs: 60_000,
  });
}

/** Asserts that every answer is an acceptance or has Retry-After; returns the refused ones. */
function assertShed(answers: readonly Answer[]): Answer[] {
  const refused = answers.filter(({ status }) => status !== 202);
  const wrong = refused.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0));
  assert.deepEqual(wrong.slice(0, 3), []);
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  assert.ok(slowest < mostMs, `the slowest was answered after ${slowest} ms`);
  return refused;
}

test(`if a statement that every create needs is slow for ${slowForSeconds} s, creates are refused within seconds, and polls stay fast`, {
  skip,
  timeout,
}, async (t) => {
  await using world = await openWorld();
  const known = await world.create();
  await world.finished(known);
  const holder = new pg.Client({ connectionString: world.config.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table accounts in exclusive mode');
  let slow = true;
  const polls: number[] = [];
  const polling = (async () => {
    while (slow) {
      const askedAt = performance.now();
      assert.equal((await world.send('GET', `/jobs/${known}`)).status, 200);
      polls.push(performance.now() - askedAt);
      await sleep(20);
    }
  })();
  const offered = offerCreates(world, 50);
  await sleep(slowForSeconds * 1_000);
  slow = false;
  await polling;
  await holder.query('rollback');
  await holder.end();
  const { answers } = await offered;
  const refused = assertShed(answers);
  polls.sort((a, b) => a - b);
  const p99 = polls[Math.floor(polls.length * 0.99)] ?? 0;
  const times = refused.map(({ ms }) => ms).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  t.diagnostic(
    `${answers.length} creates, ${refused.length} refused after ${Math.round(median)} ms in the middle and ` +
      `${Math.round(times.at(-1) ?? 0)} ms at most; p99 of ${polls.length} polls ${Math.round(p99)} ms`,
  );
  // Accepted are at most two batches that wait for the lock, and creates of the last five seconds, because the lock
  // ends before they give up.
  assert.ok(refused.length > answers.length / 5, `${refused.length} of ${answers.length} were refused`);
  assert.ok(median < 6_000, `half of them waited for more than ${median} ms`);
  assert.ok(polls.length > 50 && p99 < 2_000, `p99 of ${polls.length} polls is ${p99} ms`);
  await world.finished(await world.create());
});

test(`if every statement is slow for ${slowForSeconds} s and more creates come than fit, each is accepted or refused within seconds`, {
  skip,
  timeout,
}, async (t) => {
  await using cluster = await startCluster();
  await using proxy = await startProxy(cluster.port);
  const databaseUrl = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
  await using world = await openWorld({ worker: false, config: { databaseUrl } });
  await world.create();
  proxy.delayFor((slowForSeconds + 30) * 1_000);
  const { answers } = await offerCreates(world, 150);
  proxy.delayFor(0);
  const refused = assertShed(answers);
  t.diagnostic(
    `${answers.length} creates, ${refused.length} refused; slowest ${Math.round(Math.max(...answers.map(({ ms }) => ms)))} ms`,
  );
  assert.ok(refused.length < answers.length, 'none was accepted');
  await world.create();
});
