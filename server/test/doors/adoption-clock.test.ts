import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const minuteMs = 60_000;

test('an abandoned request is adopted for ten minutes, even if the clock was set back', async () => {
  const ask = (signal?: AbortSignal) =>
    fetch(`${world.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nb2', prompt: 'a fox' }),
      ...(signal && { signal }),
    });
  const rows = () => world.app.database.read.selectFrom('unanswered_requests').selectAll().execute();
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await go.promise;
    return world.provider.answer(request);
  };
  const leaving = new AbortController();
  const left = ask(leaving.signal).catch(() => undefined);
  await eventually(rows, ({ length }) => length === 1);
  leaving.abort();
  await left;
  go.resolve();
  const [{ job_id: first } = { job_id: '' }] = await eventually(rows, ([one]) => one?.waiter === null);
  await world.finished(first);
  await world.jump(-24 * 60 * minuteMs);
  await followClock(world.app.database);
  await world.elapse(60 * minuteMs);
  const later = await ask();
  await later.text();
  assert.equal(later.headers.get('idempotent-replayed'), null);
  assert.notEqual(later.headers.get('darkroom-job-id'), first);
});
