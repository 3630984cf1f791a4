import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { createKey } from '../../src/accounts/create-key.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { type LimitChanges, noDefaults } from '../../src/money/limits/limit.ts';
import { listLimits } from '../../src/money/limits/list-limits.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, eventually, postText } from '../http/support/requests.ts';
import { photo } from '../uploads/images.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';

const limitDefaults = {
  account: { open: 8n, minute: 1_000n },
  key: { total: 80_000n, running: 2n, input: BigInt(3 * photo.length) },
};
const world = await openWorld({
  env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' },
  config: { limitDefaults },
});
await toNoon(world);
const images = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo);
});
await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
after(async () => {
  images.close();
  await world[Symbol.asyncDispose]();
});
const deps = { database: world.app.database, clock: world.clock };
const verbs = (await openAdministration(world))();

beforeEach(() => {
  world.provider.handler = async (request) => world.provider.answer(request);
});

/** Creates a key with limits in a new account. A job of `nb2` costs 0.04. */
async function keyWith(limits: LimitChanges) {
  const { accountId } = await world.account(`limited ${performance.now()}`, { creditMicros: 10_000_000n });
  const made = await createKey(deps, { account: accountId, limits }, commandLine);
  return { ...made, as: bearer(made.key) };
}

const used = async (who: { account: string } | { keyId: string }) =>
  (await ('keyId' in who ? verbs.keyLimits(who.keyId) : verbs.accountLimits(who.account))).map((limit) => [
    limit.limit,
    limit.most,
    limit.used,
    limit.is_default,
  ]);

function hold() {
  const held: (() => void)[] = [];
  world.provider.handler = (request) =>
    new Promise((resolve) => {
      held.push(() => resolve(world.provider.answer(request)));
    });
  return held;
}

test('the installation’s default applies to accounts without their own limit, and counts earlier jobs', async () => {
  const { as, key, keyId, accountId } = await keyWith({});
  await world.finished(await world.create(undefined, {}, as), key);
  // Simulates that the default is new.
  await world.app.database.transaction((tx) =>
    tx.deleteFrom('limits').where('subject_id', 'in', [keyId, accountId]).execute(),
  );
  await world.finished(await world.create(undefined, {}, as), key);
  assertProblem(await postText(world, {}, as), 402, 'spend_limit_reached');
  assert.deepEqual(await used({ keyId }), [
    ['spend_total', '0.08', '0.08', true],
    ['input_bytes_day', String(3 * photo.length), '0', true],
    ['running', '2', '0', true],
  ]);
  assert.deepEqual(await used({ account: accountId }), [
    ['open', '8', '0', true],
    ['requests_minute', '1000', null, true],
  ]);
  const removed = { defaults: noDefaults, nowMs: world.clock.nowMs() };
  assert.deepEqual(await listLimits(deps.database.read, [{ kind: 'key', id: keyId }], removed), []);

  await verbs.changeKeyLimits(keyId, { spend_total: '0.12' });
  await world.finished(await world.create(undefined, {}, as), key);
  assertProblem(await postText(world, {}, as), 402, 'spend_limit_reached');
  await verbs.changeKeyLimits(keyId, { spend_total: null });
  await world.finished(await world.create(undefined, {}, as), key);
  assert.deepEqual((await used({ keyId }))[0], ['spend_total', null, '0.16', false]);
  await verbs.changeKeyLimits(keyId, { spend_total: 'default' });
  assert.deepEqual((await used({ keyId }))[0], ['spend_total', '0.08', '0.16', true]);
  assertProblem(await postText(world, {}, as), 402, 'spend_limit_reached');
});

test('jobs from the panel have no key, and no default of keys applies to them', async () => {
  const { accountId } = await keyWith({});
  assert.deepEqual(
    (await used({ account: accountId })).map(([limit]) => limit),
    ['open', 'requests_minute'],
  );
});

test('only a limited number of jobs per key, and per account, run at once; the account’s other jobs continue', async () => {
  const { as, accountId } = await keyWith({ total: null });
  const other = await createKey(
    deps,
    { account: accountId, limits: { running: null, total: null } },
    commandLine,
  );
  const held = hold();
  for (let count = 0; count < 4; count += 1) await world.create(undefined, {}, as);
  const running = () =>
    world.app.database.read
      .selectFrom('jobs')
      .select('key_id')
      .where('account_id', '=', accountId)
      .where('status', '=', 'processing')
      .execute();
  await eventually(running, ({ length }) => length === 2);
  await world.create(undefined, {}, bearer(other.key));
  const three = await eventually(running, ({ length }) => length === 3);
  assert.equal(three.filter(({ key_id: id }) => id === other.keyId).length, 1);

  await verbs.changeAccountLimits(accountId, { running: 3 });
  await world.create(undefined, {}, bearer(other.key));
  held.shift()?.();
  // A job of this key or of the other takes the slot; at most three run at any time.
  for (let left = 5; left > 0; left -= 1) {
    await eventually(
      async () => held.length,
      (count) => count > 0,
    );
    assert.ok((await running()).length <= 3);
    held.shift()?.();
  }
  await eventually(running, ({ length }) => length === 0);
});

test('only a limited number of jobs wait, and each that begins makes room', async () => {
  const { as, keyId } = await keyWith({ waiting: 2n, running: 1n, total: null });
  const held = hold();
  await world.create(undefined, {}, as);
  await eventually(
    async () => held.length,
    (count) => count === 1,
  );
  for (const _time of [1, 2]) await world.create(undefined, {}, as);
  const refused = await postText(world, {}, as);
  assertProblem(refused, 429, 'open_jobs_limit_reached');
  assert.deepEqual(refused.body.limit, { of: 'key', per: 'waiting', most: '2', resets_at: null });
  const detail = 'This key may have 2 jobs that wait, and has 2. Wait until some have begun.';
  assert.equal(refused.body.detail, detail);
  assert.deepEqual((await used({ keyId })).slice(1, 2), [['waiting', '2', '2', false]]);
  held.shift()?.();
  await eventually(
    async () => held.length,
    (count) => count === 1,
  );
  await world.create(undefined, {}, as);
  for (let left = 3; left > 0; left -= 1) {
    await eventually(
      async () => held.length,
      (count) => count > 0,
    );
    held.shift()?.();
  }
});

test('input bytes count once, when uploaded or fetched, and beyond the limit they are refused until the next day', async () => {
  const { as, key, keyId } = await keyWith({ total: null });
  const address = images.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/photo.jpg`;
  const upload = () =>
    fetch(`${world.url}/api/v1/uploads`, {
      method: 'POST',
      headers: { ...as, 'content-type': 'image/jpeg' },
      body: new Uint8Array(photo),
    });
  const from = (link: string) =>
    world.send('POST', '/nb2/url-generations', {
      headers: as,
      body: { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [link] },
    });
  const answer = await upload();
  const sent = (await answer.json()) as { url: string; bytes: number };
  const total = async () =>
    Number((await used({ keyId })).find(([limit]) => limit === 'input_bytes_day')?.[2]);
  assert.equal(await total(), sent.bytes);

  world.provider.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
  for (const link of [sent.url, url]) {
    const created = await from(link);
    assert.equal(created.status, 202, JSON.stringify(created.body));
    await world.finished(String(created.body.job_id), key);
  }
  assert.equal(
    await total(),
    2 * sent.bytes,
    'an upload that is used does not count again; a failed job does',
  );

  // More has been sent than this limit allows.
  await verbs.changeKeyLimits(keyId, { input_bytes_day: 2 * sent.bytes - 1 });
  const refused = await from(url);
  assertProblem(refused, 429, 'input_limit_reached');
  assert.match(String(refused.body.detail), /^This key may send .* per day, and has sent /);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.match(String((refused.body.limit as { resets_at: string }).resets_at), /T00:00:00\.000Z$/);
  const large = await upload();
  assert.equal(large.status, 429);
  await large.arrayBuffer();
  assert.equal((await from(sent.url)).status, 202, 'what is here already is not sent again');
  await world.elapse(86_400_000);
  assert.equal((await upload()).status, 201);
});

test('an earlier result does not count as input bytes, and can be used beyond the limit', async () => {
  const { as, key, keyId } = await keyWith({ total: null });
  const { result } = await world.finished(await world.create(undefined, {}, as), key);
  const { image_url: link } = result as { image_url: string };
  for (const most of [5_000_000, 1]) {
    await verbs.changeKeyLimits(keyId, { input_bytes_day: most });
    const created = await world.send('POST', '/nb2/url-generations', {
      headers: as,
      body: { prompt: 'the same at night', aspect_ratio: '1:1', input_images_urls: [link] },
    });
    assert.equal(created.status, 202, JSON.stringify(created.body));
    const input = (await used({ keyId })).find(([limit]) => limit === 'input_bytes_day');
    assert.deepEqual(input, ['input_bytes_day', String(most), '0', false]);
  }
});
