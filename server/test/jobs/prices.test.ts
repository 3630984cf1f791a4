import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { openPriceBook } from '../../src/accounts/price-groups/price-book.ts';
import { startApp } from '../../src/app.ts';
import type { Database } from '../../src/base/db/database.ts';
import { openChanges } from '../../src/base/db/open-changes.ts';
import { readBirth } from '../../src/base/db/settings-store.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { makeAdminKey, openAdministration } from '../admin/admin-client.ts';
import { bearer, eventually, textBody } from '../http/support/requests.ts';
import { changeModel, changePrice } from '../world/change-model.ts';
import { TestProvider } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { openBuyer } from './support/buyer.ts';

// PRICES_FULL=1 makes the published number of jobs.
const wanted = process.env.PRICES_FULL ? 1_000 : 66;

const plain = new TestProvider();
const provider = new TestProvider();
provider.handler = async (request) => {
  if (request.prompt.includes('fails')) throw failure('safety_blocked');
  return plain.answer(request);
};
const upscaler = { id: 'upscaler/test', model: 'upscaler', provider, slots: 4, timeoutMs: 30_000 };
const routes = [...testRoutes(provider), upscaler];
const world = await openWorld({ replacements: { routes } });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);
await changeModel(world, 'upscaler', () => ({
  ...{ id: 'upscaler', name: 'Upscaler', action: 'upscale', modes: ['url'], ratios: ['1:1'], auto: true },
  // Four fifths of this price are 0.0098776.
  ...{ selectable: false, resolutions: { '4K': { megapixels: 4, price: '0.012347' } } },
}));

async function quoteOf(key: string, fields: object = {}): Promise<unknown> {
  const { body } = await world.send('POST', '/nb2/text-generations?dry_run=true', {
    body: { ...textBody, ...fields },
    headers: bearer(key),
  });
  return body.price;
}

test(`for ${wanted} jobs of all kinds at 20 % off, quote, reserve, capture, statement, limit and margin agree`, async () => {
  const { accountId, key } = await world.account('reseller', { creditMicros: 1_000_000_000n });
  await admin().changeAccountLimits('reseller', { spend_month: '1000' });
  await admin().savePriceGroup('resellers', { factor: '0.8' });
  assert.equal(
    (await admin().changeAccount('reseller', { price_group: 'resellers' })).price_group,
    'resellers',
  );
  const buyer = await openBuyer(world, { accountId, key });
  assert.equal(buyer.priceOf('upscaler', '4K'), 9_878n, 'half a micro-unit and more is one');
  const quoted = new Map<string, bigint>();
  for (let nth = 0; quoted.size < wanted; nth += 1)
    for (const [id, price] of await buyer.buy(nth)) quoted.set(id, price);
  let charged = 0n;
  const byModel = new Map<string, bigint>();
  for (const [id, price] of quoted) {
    const job = await world.finished(id, key);
    assert.equal(job.price, buyer.format(price), `${id} of ${job.model}`);
    const isFailed = String(job.prompt).includes('fails');
    assert.equal(job.status, isFailed ? 'failed' : 'done');
    assert.deepEqual(await entriesOf(id), [
      ['reserve', price],
      [isFailed ? 'release' : 'capture', price],
    ]);
    if (isFailed) continue;
    charged += price;
    byModel.set(String(job.model), (byModel.get(String(job.model)) ?? 0n) + price);
  }
  const month = new Date(world.clock.nowMs()).toISOString().slice(0, 7);
  const { lines, closing_balance } = await admin().readStatement('reseller', month);
  const captured = lines.filter(({ kind }) => kind === 'capture').map(({ model, amount }) => [model, amount]);
  const expected = [...byModel].map(([model, sum]) => [model, `-${buyer.format(sum)}`]);
  assert.deepEqual(captured.toSorted(), expected.toSorted());
  assert.equal(closing_balance, buyer.format(1_000_000_000n - charged));
  const limits = await admin().accountLimits('reseller');
  assert.equal(limits.find(({ limit }) => limit === 'spend_month')?.used, buyer.format(charged));
  const margins = await admin().margins({ group_by: 'account' });
  const own = margins.data.find((one) => one.account_id === accountId);
  assert.equal(own?.revenue, buyer.format(charged));
});

async function entriesOf(jobId: string) {
  const rows = await world.app.database.read
    .selectFrom('entries')
    .select(['kind', 'amount_micros'])
    .where('job_id', '=', jobId)
    .orderBy('id')
    .execute();
  return rows.map(({ kind, amount_micros }) => [kind, amount_micros]);
}

test('a job keeps the price at which it was accepted, even if its create is repeated under its key', async () => {
  const { key } = await world.account('keeps', { creditMicros: 1_000_000n });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = provider.handler;
  provider.handler = (request, context) => held.then(() => handler(request, context));
  try {
    await admin().savePriceGroup('moving', { factor: '0.5' });
    await admin().changeAccount('keeps', { price_group: 'moving' });
    const headers = { ...bearer(key), 'idempotency-key': 'once' };
    const before = await world.create(undefined, {}, headers);
    await admin().savePriceGroup('moving', { factor: '2' });
    await changePrice(world, 'nb2', '0.05');
    const after = await world.create(undefined, {}, bearer(key));
    assert.equal(await world.create(undefined, {}, headers), before);
    release();
    const prices = [(await world.finished(before, key)).price, (await world.finished(after, key)).price];
    assert.deepEqual(prices, ['0.02', '0.10']);
  } finally {
    provider.handler = handler;
    release();
    await changePrice(world, 'nb2', '0.04');
  }
});

test('a group applies for a period, and so does each of its prices, which take precedence over its factor', async () => {
  const { key } = await world.account('seasons', { creditMicros: 1_000_000n });
  const at = (inMs: number) => new Date(world.clock.nowMs() + inMs).toISOString();
  await admin().savePriceGroup('season', {
    ...{ factor: '0.9', from: at(60_000), until: at(600_000) },
    prices: [
      { model: 'nb2', resolution: '1K', price: '0.01', from: at(120_000), until: at(180_000) },
      { model: 'nb2', resolution: '1K', price: '0', from: at(180_000), until: at(240_000) },
    ],
  });
  await admin().changeAccount('seasons', { price_group: 'season' });
  const prices = [];
  for (const ms of [0, 61_000, 60_000, 60_000, 60_000, 400_000]) {
    await world.elapse(ms);
    prices.push(await quoteOf(key));
  }
  assert.deepEqual(prices, ['0.04', '0.036', '0.01', '0.00', '0.036', '0.04']);
  assert.equal(await quoteOf(world.key), '0.04', 'others pay what the models say');
});

test('limits and the balance are checked with the group’s prices', async () => {
  const { key } = await world.account('short of money', { creditMicros: 32_000n });
  const create = () => world.send('POST', '/nb2/text-generations', { body: textBody, headers: bearer(key) });
  const { status, body } = await create();
  assert.deepEqual([status, body.required], [402, '0.04']);
  await admin().savePriceGroup('resellers', { factor: '0.8' });
  await admin().changeAccount('short of money', { price_group: 'resellers' });
  await admin().changeAccountLimits('short of money', { spend_total: '0.031999' });
  assert.equal((await create()).body.code, 'spend_limit_reached');
  await admin().changeAccountLimits('short of money', { spend_total: '0.032' });
  assert.equal((await create()).status, 202);
});

test('another process uses a changed group within a second', async () => {
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog, routes });
  const { key } = await world.account('elsewhere', { creditMicros: 1_000_000n });
  const price = async () => {
    const answer = await fetch(`${second.url}/api/v1/models/nb2`, { headers: bearer(key) });
    const { resolutions } = (await answer.json()) as { resolutions: { price: string }[] };
    return resolutions[0]?.price;
  };
  assert.equal(await price(), '0.04');
  await admin().savePriceGroup('elsewhere', { factor: '0.25' });
  await admin().changeAccount('elsewhere', { price_group: 'elsewhere' });
  await eventually(price, (read) => read === '0.01');
  await admin().savePriceGroup('elsewhere', { factor: '0.75' });
  await eventually(price, (read) => read === '0.03');
  await admin().changeAccount('elsewhere', { price_group: null });
  await eventually(price, (read) => read === '0.04');
});

test('a read that began before a change does not restore old prices once the change is seen', async () => {
  const { accountId } = await world.account('looked up', { creditMicros: 1_000_000n });
  await admin().savePriceGroup('looked', { factor: '0.5' });
  await admin().changeAccount('looked up', { price_group: 'looked' });
  const { database } = world.app;
  const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let holds = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      // Delays the second of the queries for revision, groups and members.
      if (!holds || result.rows.every((row) => row.group_id === undefined)) return result;
      holds = false;
      reached.resolve();
      await held.promise;
      return result;
    },
  };
  const read = database.read.withPlugin(plugin);
  const slow: Database = Object.create(database, {
    read: { value: read },
    listen: { value: () => () => {} }, // it reads only when asked
  });
  await using changes = openChanges(slow, silentLog);
  const book = await openPriceBook(slow, { changes, clock: world.clock });
  holds = true;
  await admin().savePriceGroup('looked', { factor: '0.25' });
  const before = changes.refresh();
  await reached.promise;
  await admin().savePriceGroup('looked', { factor: '0.75' });
  const after = changes.refresh();
  // Waits for as long as a read without a lock would take.
  for (let nth = 0; nth < 10; nth += 1) await readBirth(database.read);
  held.resolve();
  await Promise.all([before, after]);
  const model = world.app.catalogue.list().find(({ id }) => id === 'nb2') ?? assert.fail();
  assert.equal(book.of(accountId)(model, '1K'), 30_000n);
});

test('an invalid group is refused with its wrong fields, and a group with accounts cannot be removed', async () => {
  const price = { model: 'nb2', resolution: '2K', price: '0.05' };
  const wrong: [object, RegExp][] = [
    [{ factor: '10.1' }, /\/factor/],
    [{ factor: '-1' }, /\/factor/],
    [{ prices: [{ ...price, model: 'none' }] }, /\/prices\/0\/model/],
    [{ prices: [{ ...price, resolution: '9K' }] }, /\/prices\/0\/resolution/],
    [{ prices: [{ ...price, price: 'much' }] }, /\/prices\/0\/price/],
    [{ prices: [price, { ...price, from: '2027-01-01T00:00:00Z' }] }, /\/prices\/1 holds at the same time/],
    [{ from: '2027-01-01T00:00:00Z', until: '2027-01-01T00:00:00+00:00' }, /\/until/],
    [{ other: 1 }, /other/],
  ];
  for (const [group, why] of wrong)
    await assert.rejects(admin().savePriceGroup('wrong', group), (error) => why.test(String(error)));
  await assert.rejects(admin().savePriceGroup('Big Letters', {}), { code: 'invalid_request' });
  await assert.rejects(admin().changeAccount('tests', { price_group: 'wrong' }), { code: 'invalid_request' });
  await assert.rejects(admin().getPriceGroup('wrong'), { code: 'not_found' });

  await admin().savePriceGroup('kept', { factor: '1.50', name: 'dear' });
  const same = await admin().savePriceGroup('kept', { factor: '1.5', name: 'dear' });
  assert.deepEqual([same.version, same.factor], [1, '1.5'], 'what means the same is no version');
  await world.account('in it');
  await admin().changeAccount('in it', { price_group: 'kept' });
  await assert.rejects(admin().removePriceGroup('kept'), /One account is in the price group kept/);
  await admin().changeAccount('in it', { price_group: null });
  await admin().removePriceGroup('kept');
  await assert.rejects(admin().removePriceGroup('kept'), { code: 'not_found' });
  assert.equal((await admin().savePriceGroup('kept', {})).version, 3);
  const history = await admin().priceGroupHistory('kept');
  assert.deepEqual(
    history.map(({ version, definition }) => [version, definition?.factor ?? null]),
    [
      [3, '1'],
      [2, null],
      [1, '1.5'],
    ],
  );
});

test('no account is in a group that was removed while the account was being added', async () => {
  await world.account('comes');
  for (let round = 0; round < 20; round += 1) {
    await admin().savePriceGroup('leaving', {});
    const [joined, removed] = await Promise.allSettled([
      admin().changeAccount('comes', { price_group: 'leaving' }),
      admin().removePriceGroup('leaving'),
    ]);
    assert.notEqual(joined.status, removed.status);
    const { price_group } = await admin().getAccount('comes');
    assert.equal(price_group, removed.status === 'fulfilled' ? null : 'leaving');
    await admin().changeAccount('comes', { price_group: null });
  }
});

test('commands set, list, show and remove groups, and put accounts into them', async () => {
  const { key: adminKey } = await makeAdminKey(world, 'prices', ['money', 'read']);
  const env = { DARKROOM_URL: `${world.url}/api/v1`, DARKROOM_ADMIN_KEY: adminKey };
  const run = (...args: string[]) => runDarkroom(args, { cwd: tmpdir(), env });
  const { key } = await world.account('by command', { creditMicros: 1_000_000n });
  const set = ['price-group', 'set', 'gold', '--factor', '0.5', '--price', 'nb2/2K=0.01'];
  assert.match((await run(...set)).stderr, /gold is at version 1/);
  assert.match((await run('account', 'price-group', 'by command', 'gold')).stderr, /pays the prices of gold/);
  assert.deepEqual([await quoteOf(key), await quoteOf(key, { resolution: '2K' })], ['0.02', '0.01']);
  assert.match((await run('price-group', 'list')).stdout, /gold\s+0\.5\s+1\s+1/);
  assert.match((await run('account', 'list')).stdout, /by command .* gold/);
  assert.match((await run('price-group', 'show', 'gold')).stdout, /nb2\/2K=0\.01/);
  assert.match((await run('price-group', 'remove', 'gold')).stderr, /One account is in/);
  assert.match(
    (await run('account', 'price-group', 'by command', 'none')).stderr,
    /the prices of the models/,
  );
  assert.equal((await run('price-group', 'remove', 'gold')).code, 0);
  assert.equal(await quoteOf(key), '0.04');
});
