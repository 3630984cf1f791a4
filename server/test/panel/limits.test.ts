import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readNow } from '../../src/base/db/rows.ts';
import { listLimits } from '../../src/money/limits/list-limits.ts';
import type { LimitRow } from '../../src/web/panel/contract.ts';
import { bearer, postText } from '../http/support/requests.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';
import { openMember, openOperator } from './browser.ts';
import { email } from './support/member.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const operator = await openOperator(world);
await toNoon(world);
const member = await openMember(world, { email });

/** Describes the limits that are set, as in `spend_day 0.04/0.05`. */
function inWords(rows: readonly LimitRow[]): string[] {
  return rows.flatMap(({ limit, most, used }) => (most === null ? [] : `${limit} ${used ?? '–'}/${most}`));
}

test('a key begins with the limits of its form, which then change one by one, each within its account', async () => {
  const { key: secret, ...key } = await member.call('POST /api/v1/keys', {
    body: { name: 'ci', models: null, limits: { spend_day: '0.05', requests_second: 9, open: 'default' } },
  });
  const params = { key_id: key.key_id };
  await world.finished(await world.create(undefined, {}, bearer(secret)), secret);
  assert.equal((await postText(world, {}, bearer(secret))).status, 402);
  const read = () => member.call('GET /api/v1/keys/:key_id/limits', { params });
  const { data, unset } = await read();
  assert.deepEqual(inWords(data), ['spend_day 0.04/0.05', 'requests_second –/9']);
  assert.deepEqual(
    unset.filter(({ limit }) => ['spend_total', 'open'].includes(limit)).map(({ unit, per }) => [unit, per]),
    [
      ['money', null],
      ['jobs', null],
    ],
    'those that are not set can be',
  );

  const listed = (await member.call('GET /panel/accounts/:account_id/keys')).data;
  assert.deepEqual(
    listed.map(({ name, limits }) => [name, inWords(limits)]),
    [
      ['ci', ['spend_day 0.04/0.05', 'requests_second –/9']],
      ['key', []],
    ],
    'each with its own',
  );

  const change = (body: object) => member.try('PATCH /api/v1/keys/:key_id', { params, body });
  const changed = await change({ limits: { spend_day: '1', requests_second: 'default', open: 3 } });
  assert.equal(changed.status, 200);
  assert.deepEqual(inWords((await read()).data), ['spend_day 0.04/1.00', 'open 0/3']);
  for (const [limit, wrong] of Object.entries({ spend_day: '1.2.3', open: 0 })) {
    const refused = await change({ limits: { [limit]: wrong } });
    const [error] = refused.body.errors as { pointer: string }[];
    assert.deepEqual([refused.status, error?.pointer], [422, `/limits/${limit}`]);
  }
  assert.equal((await change({ limits: { unknown: '1' } })).status, 422);
  assert.deepEqual(inWords((await read()).data), ['spend_day 0.04/1.00', 'open 0/3']);

  const { accountId } = await world.account('other');
  const stranger = await openMember(world, { email: 'eve@example.com', accountId });
  const elsewhere = { params: { ...params, account_id: accountId }, body: { limits: {} } };
  const tried = await stranger.try('PATCH /api/v1/keys/:key_id', elsewhere);
  assert.equal(tried.status, 404);
});

test('a key is restricted to networks, and unrestricted again', async () => {
  const { key: secret, ...key } = await member.call('POST /api/v1/keys', {
    body: { name: 'office', models: null, networks: ['203.0.113.0/24'] },
  });
  assert.deepEqual(key.networks, ['203.0.113.0/24']);
  const status = async () =>
    (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.equal(await status(), 403);
  const change = (networks: string[] | null) =>
    member.try('PATCH /api/v1/keys/:key_id', {
      params: { key_id: key.key_id },
      body: { limits: {}, networks },
    });
  assert.equal((await change(['the office'])).status, 422);
  assert.equal((await change(null)).status, 200);
  await world.elapse(1_000); // the time for which a process caches a key
  assert.equal(await status(), 200);
});

test('members see an account’s limits, and operators set them', async () => {
  const body = { spend_month: '5', open: 40 };
  const set = 'PATCH /api/v1/limits';
  assert.equal((await member.try(set, { body })).status, 403);
  await operator.call(set, { body });
  const seen = await member.call('GET /api/v1/limits');
  const [month, open] = seen.data.filter(({ most }) => most !== null);
  assert.deepEqual([month?.most, month?.used, open?.most], ['5.00', '0.04', '40']);
  assert.match(month?.resets_at ?? '', /-01T00:00:00\.000Z$/);
  await operator.call(set, { body: { spend_month: 'default', open: 'default' } });
});

test('a key’s limit can be reset to the installation’s default, or removed whatever the default is', async () => {
  await using own = await openWorld({
    config: { limitDefaults: { account: {}, key: { open: 7n, input: 5_000_000n } } },
  });
  const owner = await openMember(own, { email });
  const limits = { open: 9, input_bytes_day: 2_000_000 };
  const make = (name: string) => owner.call('POST /api/v1/keys', { body: { name, models: null, limits } });
  const key = await make('ci');
  const other = await make('other');
  const params = { key_id: key.key_id };
  const set = ({ data }: { data: readonly LimitRow[] }) =>
    data.flatMap(({ limit, most, is_default: isDefault }) =>
      most === null ? [] : [[limit, most, isDefault]],
    );
  const read = ({ key_id } = key) => owner.call('GET /api/v1/keys/:key_id/limits', { params: { key_id } });
  const both = [
    ['open', '9', false],
    ['input_bytes_day', '2000000', false],
  ];
  assert.deepEqual(set(await read()), both);
  await owner.call('PATCH /api/v1/keys/:key_id', {
    params,
    body: { limits: { open: 'default', input_bytes_day: null } },
  });
  const changed = await read();
  assert.deepEqual(set(changed), [['open', '7', true]]);
  assert.deepEqual(set(await read(other)), both, 'another key keeps its own');
  const lifted = changed.data.filter(({ is_lifted: isLifted }) => isLifted);
  assert.deepEqual(
    lifted.map(({ limit }) => limit),
    ['input_bytes_day'],
  );

  // The job's admission stores the use of the default limit, which is still no limit of the key itself.
  await own.create(undefined, {}, bearer(key.key));
  await owner.call('PATCH /api/v1/keys/:key_id', { params, body: { limits: { open: 1 } } });
  const { data } = await (await openOperator(own)).call('GET /admin/v1/audit');
  assert.deepEqual(data.find(({ action }) => action === 'key.limits_changed')?.detail, {
    ...{ open: 1, open_before: 'default' },
  });
});

test('the use of default limits is shown for all keys, each with its own', async () => {
  const limitDefaults = { account: {}, key: { open: 7n, waiting: 6n, running: 5n, total: 1_000_000n } };
  await using own = await openWorld({ worker: false, config: { limitDefaults } });
  const owner = await openMember(own, { email });
  const body = { models: null };
  const made = await Promise.all(
    ['one', 'two', 'three'].map((name) => owner.call('POST /api/v1/keys', { body: { name, ...body } })),
  );
  for (const { key } of made.slice(1)) await own.create(undefined, {}, bearer(key));
  await own.create(undefined, {}, bearer(made[2]?.key ?? ''));
  const { data } = await owner.call('GET /panel/accounts/:account_id/keys');
  assert.deepEqual(
    Object.fromEntries(
      data.map(({ name, limits }) => [
        name,
        limits.flatMap(({ limit, most, used }) => (most === null ? [] : [`${limit} ${used}`])),
      ]),
    ),
    {
      one: ['spend_total 0.00', 'open 0', 'waiting 0', 'running 0'],
      two: ['spend_total 0.04', 'open 1', 'waiting 1', 'running 0'],
      three: ['spend_total 0.08', 'open 2', 'waiting 2', 'running 0'],
      key: ['spend_total 0.00', 'open 0', 'waiting 0', 'running 0'],
    },
  );

  const { read } = own.app.database;
  const nowMs = await readNow(read);
  const count = async (keys: readonly { key_id: string }[]) => {
    let queries = 0;
    const counted = read.withPlugin({
      transformQuery({ node }) {
        queries += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const subjects = keys.map(({ key_id: id }) => ({ kind: 'key', id }) as const);
    assert.equal(
      (await listLimits(counted, subjects, { defaults: limitDefaults, nowMs })).length,
      4 * keys.length,
    );
    return queries;
  };
  assert.equal(await count(made), await count(made.slice(0, 1)));
});

test('a limit that is set later counts a job of the hour’s first millisecond', async () => {
  await using own = await openWorld({ worker: false });
  const owner = await openMember(own, { email });
  const key = await owner.call('POST /api/v1/keys', { body: { name: 'ci', models: null } });
  await using _held = await own.hold();
  const hourMs = 3_600_000;
  await own.jump(hourMs - (own.clock.nowMs() % hourMs));
  await own.create(undefined, {}, bearer(key.key));
  const { data } = await owner.call('PATCH /api/v1/keys/:key_id/limits', {
    params: { key_id: key.key_id },
    body: { spend_hour: '1' },
  });
  assert.deepEqual(inWords(data), ['spend_hour 0.04/1.00']);
  const resetsAt = data.find(({ limit }) => limit === 'spend_hour')?.resets_at;
  assert.equal(resetsAt, new Date(own.clock.nowMs() + hourMs).toISOString());
});
