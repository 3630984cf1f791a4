import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createKey } from '../../src/accounts/create-key.ts';
import { rollKey } from '../../src/accounts/roll-key.ts';
import { startApp } from '../../src/app.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { type LimitChanges, noDefaults } from '../../src/money/limits/limit.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { bearer, eventually, postText, textBody } from '../http/support/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ env: { DARKROOM_TRUSTED_PROXIES: '127.0.0.0/8' } });
after(() => world[Symbol.asyncDispose]());
await toNoon(world);
const deps = { database: world.app.database, clock: world.clock, limitDefaults: noDefaults };
const verbs = (await openAdministration(world))();
const day = 86_400_000;

beforeEach(() => {
  world.provider.handler = async (request) => world.provider.answer(request);
});

/** A job of `nb2` costs 0.04. */
async function keyWith(limits: LimitChanges, more: { networks?: string[]; account?: string } = {}) {
  const made = await createKey(deps, { account: world.accountId, limits, ...more }, commandLine);
  return { ...made, as: bearer(made.key) };
}

const refuse = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));

test('a day’s spending ends at the limit, failed jobs release theirs, and the next day resets it', async () => {
  const { as, key, keyId } = await keyWith({ day: 90_000n });
  world.provider.handler = refuse;
  for (const _time of [1, 2, 3]) await world.finished(await world.create(undefined, {}, as), key);
  world.provider.handler = async (request) => world.provider.answer(request);
  for (const _time of [1, 2]) await world.finished(await world.create(undefined, {}, as), key);

  const refused = await assertRefused(world, () => postText(world, {}, as), 402, 'spend_limit_reached');
  const { resets_at: resetsAt, ...limit } = refused.body.limit as Record<string, string>;
  assert.deepEqual(limit, { of: 'key', per: 'day', most: '0.09' });
  assert.ok(String(refused.body.detail).endsWith(` may spend. The limit resets at ${resetsAt}.`));
  assert.deepEqual([refused.body.available, refused.body.required], ['0.01', '0.04']);
  const [shown] = await verbs.keyLimits(keyId);
  assert.deepEqual(shown, {
    ...{ limit: 'spend_day', unit: 'money', per: 'day', is_lifted: false },
    most: '0.09',
    is_default: false,
    used: '0.08',
    resets_at: resetsAt,
  });
  assert.match(resetsAt ?? '', /T00:00:00\.000Z$/);
  const after = Number(refused.headers.get('retry-after')) * 1_000;
  assert.ok(Math.abs(world.clock.nowMs() + after - Date.parse(resetsAt ?? '')) < 60_000, String(after));
  assert.equal((await postText(world)).status, 202, 'other keys of the account go on');

  await world.elapse(day);
  assert.deepEqual((await verbs.keyLimits(keyId))[0]?.used, '0.00');
  assert.equal((await postText(world, {}, as)).status, 202);
  await verbs.changeKeyLimits(keyId, { spend_day: null });
  assert.deepEqual(await verbs.keyLimits(keyId), []);
});

test('a refusal says for how long the limit is, and what is left of it', async () => {
  for (const [meter, time] of [
    ['hour', 'an hour'],
    ['day', 'a day'],
    ['month', 'a month'],
    ['total', 'in all'],
  ] as const) {
    const { as } = await keyWith({ [meter]: 30_000n });
    const askedAt = world.clock.nowMs();
    const { body, headers } = await postText(world, {}, as);
    const sentence = `This job costs 0.04, and 0.03 is left of the 0.03 ${time} that this key may spend.`;
    assert.ok(String(body.detail).startsWith(sentence), String(body.detail));
    assert.equal(headers.get('retry-after') === null, meter === 'total', 'a total has no end to wait for');
    const { resets_at: resetsAt } = body.limit as { resets_at: string | null };
    assert.ok(meter === 'total' ? resetsAt === null : Date.parse(resetsAt ?? '') > askedAt, `${resetsAt}`);
  }
});

test('a job that fails on the next day releases nothing on that day', async () => {
  const { as, key, keyId } = await keyWith({ day: 80_000n, total: 80_000n });
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The job may be tried several times, because a day is longer than a lease.
  world.provider.handler = async (request) => {
    if (request.prompt !== 'late') return world.provider.answer(request);
    begun.resolve();
    await end.promise;
    throw new ProviderError('safety_blocked', 'No.');
  };
  const late = await world.create(undefined, { prompt: 'late' }, as);
  await begun.promise;
  await world.elapse(day);
  await world.finished(await world.create(undefined, {}, as), key);
  end.resolve();
  await world.finished(late, key);
  assert.deepEqual(
    (await verbs.keyLimits(keyId)).map(({ limit, used }) => [limit, used]),
    [
      ['spend_day', '0.04'],
      ['spend_total', '0.04'],
    ],
  );
});

test('a limit that is set later counts earlier spending and open jobs', async () => {
  const { accountId, key } = await world.account('late limits', { creditMicros: 1_000_000n });
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  await verbs.changeAccountLimits(accountId, { spend_month: '0.10', open: 5 });
  assert.deepEqual(
    (await verbs.accountLimits(accountId)).map(({ limit, used }) => [limit, used]),
    [
      ['spend_month', '0.04'],
      ['open', '0'],
    ],
  );
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  const refused = await postText(world, {}, bearer(key));
  assertProblem(refused, 402, 'spend_limit_reached');
  assert.equal((refused.body.limit as { of: string }).of, 'account');
});

test('only a limited number of jobs are open at once, and each that ends makes room', async () => {
  const { as, key } = await keyWith({ open: 2n });
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  world.provider.handler = async (request) => {
    await ended;
    return world.provider.answer(request);
  };
  const jobs = [await world.create(undefined, {}, as), await world.create(undefined, {}, as)];
  const refused = await postText(world, {}, as);
  assertProblem(refused, 429, 'open_jobs_limit_reached');
  assert.deepEqual(refused.body.limit, { of: 'key', per: 'open', most: '2', resets_at: null });
  const detail = 'This key may have 2 unfinished jobs, and has 2. Wait until some have ended.';
  assert.equal(refused.body.detail, detail);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  end();
  for (const job of jobs) await world.finished(job, key);
  assert.equal((await postText(world, {}, as)).status, 202);
});

test('limit race: of 200 parallel creates over two servers with a limit for 50, exactly 50 succeed', async () => {
  await using racing = await openWorld({ worker: false });
  await using second = await startApp(racing.config, { clock: racing.clock, log: silentLog });
  for (const limits of [{ month: 2_000_000n }, { open: 50n }]) {
    const { key, keyId } = await createKey(
      { database: racing.app.database, clock: racing.clock },
      { account: racing.accountId, limits },
      commandLine,
    );
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const response = await fetch(`${index % 2 ? second.url : racing.url}/api/v1/nb2/text-generations`, {
          method: 'POST',
          headers: { ...bearer(key), 'content-type': 'application/json' },
          body: JSON.stringify(textBody),
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 202).length, 50);
    const [limit] = await (await openAdministration(racing))().keyLimits(keyId);
    assert.equal(limit?.used, limit?.most);
  }
});

test('a rolled key passes its limits on, with their spending', async () => {
  const { as, key, keyId } = await keyWith(
    { total: 80_000n, open: 1n },
    { networks: ['127.0.0.0/8', '::1'] },
  );
  await world.finished(await world.create(undefined, {}, as), key);
  const rolled = await rollKey(deps, { accountId: world.accountId, keyId, overlapMs: 60_000 }, commandLine);
  const rest = { per: null, is_lifted: false, is_default: false, resets_at: null };
  assert.deepEqual(await verbs.keyLimits(rolled.keyId), [
    { limit: 'spend_total', unit: 'money', most: '0.08', used: '0.04', ...rest },
    { limit: 'open', unit: 'jobs', most: '1', used: '0', ...rest },
  ]);
  await world.finished(await world.create(undefined, {}, bearer(rolled.key)), rolled.key);
  assertProblem(await postText(world, {}, bearer(rolled.key)), 402, 'spend_limit_reached');
});

test('requests per second and minute are limited per key and per account', async () => {
  const { accountId } = await world.account('paced', { creditMicros: 1_000_000n });
  const { as } = await keyWith({ minute: 3n }, { account: accountId });
  const { as: other } = await keyWith({}, { account: accountId });
  await verbs.changeAccountLimits(accountId, { requests_minute: 4 });
  await using _held = await world.hold();
  const first = await world.send('GET', '/balance', { headers: as });
  assert.equal(first.headers.get('ratelimit-policy'), '"account-minute";q=4;w=60, "key-minute";q=3;w=60');
  assert.match(first.headers.get('ratelimit') ?? '', /^"key-minute";r=2;t=\d+$/);
  for (const _time of [2, 3])
    assert.equal((await world.send('GET', '/balance', { headers: as })).status, 200);
  const ofKey = await world.send('GET', '/balance', { headers: as });
  assertProblem(ofKey, 429, 'too_many_requests');
  assert.match(String(ofKey.body.detail), /^This key may send 3 requests a minute\./);
  // The refused request used none of the account's rate.
  assert.equal((await world.send('GET', '/balance', { headers: other })).status, 200);
  const ofAccount = await world.send('GET', '/balance', { headers: other });
  assertProblem(ofAccount, 429, 'too_many_requests');
  assert.match(String(ofAccount.body.detail), /^This account may send 4 requests a minute\./);
});

test('a key for some networks is refused elsewhere, by every API', async () => {
  const { as } = await keyWith({}, { networks: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = (address: string) => ({ ...as, 'x-forwarded-for': address });
  for (const address of ['203.0.113.9', '2001:db8::7', '::ffff:203.0.113.9'])
    assert.equal((await world.send('GET', '/balance', { headers: from(address) })).status, 200, address);
  for (const address of ['203.0.114.1', '2001:db9::1', '10.0.0.1'])
    assertProblem(await postText(world, {}, from(address)), 403, 'address_refused');
  const door = await fetch(`${world.url}/v1/models`, { headers: from('198.51.100.1') });
  assert.equal(door.status, 403);
  await door.arrayBuffer();
  await assert.rejects(keyWith({}, { networks: ['203.0.113.0/64'] }), /"203\.0\.113\.0\/64" is not/);
});

test('client tokens’ limits are removed with the tokens', async () => {
  const made = await world.send('POST', '/client-tokens', { body: { spend_cap: '1', expires_in: 60 } });
  assert.equal(made.status, 201);
  const others = () =>
    world.app.database.read
      .selectFrom('limits')
      .select(['subject_id', 'meter'])
      .where('subject', '<>', 'client_token')
      .orderBy('subject_id')
      .orderBy('meter')
      .execute();
  const before = await others();
  assert.ok(before.length > 0);
  await world.elapse(11 * 60_000);
  await world.restart(); // the earlier database is closed
  const left = () =>
    world.app.database.read
      .selectFrom('limits')
      .select('subject_id')
      .where('subject', '=', 'client_token')
      .execute();
  await eventually(left, ({ length }) => length === 0);
  assert.deepEqual(await others(), before);
});
