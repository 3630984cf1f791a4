import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../faults/support/server.ts';
import { openWorld } from '../world/world.ts';
import { assertProblem, assertRefused } from './support/refusal.ts';
import { bearer, postText } from './support/requests.ts';

// So slow that the limit regains no request during a test.
const world = await openWorld({ worker: false, config: { rateLimit: { perSecond: 0.01, burst: 3 } } });
after(() => world[Symbol.asyncDispose]());

test('a key may send its burst, then gets 429 until time has passed; other keys are not affected', async () => {
  const { key } = await world.account('hasty', { creditMicros: 1_000_000n });
  const send = () => postText(world, {}, bearer(key));
  for (const left of [2, 1, 0]) {
    const { status, headers } = await send();
    assert.equal(status, 202);
    assert.equal(headers.get('ratelimit-policy'), '"key";q=3;w=300');
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`^"key";r=${left};t=\\d+$`));
  }
  const refused = await assertRefused(world, send, 429, 'too_many_requests');
  const retryAfter = Number(refused.headers.get('retry-after'));
  assert.ok(retryAfter > 90 && retryAfter <= 100, String(retryAfter));
  assert.match(refused.headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+$/);
  assertProblem(await world.send('GET', '/balance', { headers: bearer(key) }), 429, 'too_many_requests');

  const { key: other } = await world.account('patient', { creditMicros: 1_000_000n });
  assert.equal((await postText(world, {}, bearer(other))).status, 202);

  await world.elapse(retryAfter * 1_000);
  // The database's last answer applies until the next one.
  await until(async () => (await send()).status === 202);
  assert.equal((await send()).status, 429);
});

test('the limit comes after the key and before the model', async () => {
  const { key } = await world.account('limited', { creditMicros: 1_000_000n, models: ['nb'] });
  for (let i = 0; i < 3; i += 1) assert.equal((await postText(world, {}, bearer(key))).status, 403);
  await assertRefused(world, () => postText(world, {}, bearer(key)), 429, 'too_many_requests');
  await assertRefused(world, () => postText(world, {}, bearer('wrong')), 401, 'key_invalid');
});

test('by default there is no limit and no RateLimit field', async () => {
  await using free = await openWorld({ worker: false });
  const replies = await Promise.all(Array.from({ length: 100 }, () => free.send('GET', '/balance')));
  for (const { status, headers } of replies) {
    assert.equal(status, 200);
    assert.equal(headers.get('ratelimit'), null);
  }
});
