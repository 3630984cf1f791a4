import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { followClock, type OwnLooks, readSeenTime } from '../../src/base/db/follow-clock.ts';
import { eventually } from '../http/support/requests.ts';
import { recordTime } from '../world/record-time.ts';
import { maintainOnce } from '../world/run-once.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const { database } = world.app;
const minuteMs = 60_000;

test('an abandoned request is adopted for ten minutes, even if the clock was set back', async () => {
  const first = await leave('a fox');
  await recordTime(world);
  await world.jump(-24 * 60 * minuteMs);
  await followClock(database);
  await world.elapse(60 * minuteMs);
  await isForgotten('a fox', first);
});

test('an abandoned request is adopted for ten minutes, even if the clock was set forward', async () => {
  const first = await leave('a hen');
  await world.jump(60 * minuteMs);
  await maintainOnce(database, world.watch);
  await isFollowed();
  await maintainOnce(database, world.watch);
  const repeated = await ask('a hen');
  assert.deepEqual(jobOf(repeated), { id: first, isReplayed: 'true' });

  const second = await leave('a cat');
  await world.jump(60 * minuteMs);
  assert.deepEqual(jobOf(await ask('a cat')), { id: second, isReplayed: 'true' });
  const third = await leave('an owl');
  await isFollowed();
  await world.elapse(80 * minuteMs);
  await isForgotten('an owl', third);
});

test('one of several processes follows a clock that was set forward, and none that just started', async () => {
  await leave('an elk');
  const expiry = async () => (await rows('an elk'))[0]?.expires_at ?? 0;
  const before = await expiry();
  const processes = [1, 2, 3].map((): OwnLooks => ({ monotonicMs: () => world.clock.monotonicMs() }));
  for (const looks of processes) await followClock(database, looks);
  await world.jump(60 * minuteMs);
  await followClock(database);
  await Promise.all(processes.map((looks) => followClock(database, looks)));
  for (const looks of processes) await followClock(database, looks);
  const byMs = (await expiry()) - before;
  assert.ok(Math.abs(byMs - 60 * minuteMs) < 5_000, `it was put off by ${byMs} ms`);
});

/** Sends a request, leaves before it is answered, and returns its job, which is then done. */
async function leave(prompt: string): Promise<string> {
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await go.promise;
    return world.provider.answer(request);
  };
  const leaving = new AbortController();
  const left = ask(prompt, leaving.signal).catch(() => undefined);
  await eventually(
    () => rows(prompt),
    ({ length }) => length === 1,
  );
  leaving.abort();
  await left;
  go.resolve();
  const [row] = await eventually(
    () => rows(prompt),
    ([one]) => one?.waiter === null,
  );
  assert.ok(row);
  await world.finished(row.job_id);
  return row.job_id;
}

async function isForgotten(prompt: string, jobId: string): Promise<void> {
  await eventually(
    () => rows(prompt),
    ({ length }) => length === 0,
  );
  const { id, isReplayed } = jobOf(await ask(prompt));
  assert.equal(isReplayed, null);
  assert.notEqual(id, jobId);
}

/** Waits until a process has recorded the time since the clock was set. */
async function isFollowed(): Promise<void> {
  await eventually(
    () => readSeenTime(database.read),
    (seen) => Math.abs(seen - world.clock.nowMs()) < minuteMs,
  );
}

async function ask(prompt: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(`${world.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nb2', prompt }),
    ...(signal && { signal }),
  });
  await response.arrayBuffer();
  return response;
}

function jobOf({ headers }: Response) {
  return { id: headers.get('darkroom-job-id'), isReplayed: headers.get('idempotent-replayed') };
}

function rows(prompt: string) {
  return database.read
    .selectFrom('unanswered_requests')
    .innerJoin('jobs', 'jobs.id', 'unanswered_requests.job_id')
    .selectAll('unanswered_requests')
    .where('prompt', '=', prompt)
    .execute();
}
