import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { banner } from '../../src/start/banner.ts';
import { openWorld, type World } from '../world/world.ts';
import { bearer, textBody } from './support/requests.ts';

async function clientFile({ app }: World): Promise<{ url: string; key: string }> {
  return JSON.parse(await readFile(app.demo?.file ?? '', 'utf8'));
}

const balanceOf = async ({ send }: World, key: string) =>
  (await send('GET', '/balance', { headers: bearer(key) })).body;

test('the first start creates a demo account with 100.00 and a working key, in a file that only its owner can read', async () => {
  await using world = await openWorld();
  const { demo, url } = world.app;
  assert.ok(demo?.key);
  assert.deepEqual(await balanceOf(world, demo.key), {
    balance: '100.00',
    reserved: '0.00',
    available: '100.00',
  });
  assert.deepEqual(await clientFile(world), { url, key: demo.key });
  assert.equal((await stat(demo.file)).mode & 0o777, 0o600);
});

test('the first start’s curl line creates a job, and the banner shows the key once', async () => {
  await using world = await openWorld({ worker: false });
  const first = banner(world.config, world.app);
  const key = world.app.demo?.key ?? '';
  assert.ok(first.includes(`${world.url}/api/v1`));
  const [, target, authorization, body] =
    /curl -sS (\S+) \\\n.*'Authorization: (.+)' \\\n.*\n.*-d '(.+)'/.exec(first) ?? [];
  const response = await fetch(String(target), {
    method: 'POST',
    headers: { authorization: String(authorization), 'content-type': 'application/json' },
    body: String(body),
  });
  assert.equal(response.status, 202);
  await response.arrayBuffer();

  await world.restart();
  const second = banner(world.config, world.app);
  assert.ok(!second.includes(key), 'the second start tells the key again');
  assert.ok(second.includes(world.app.demo?.hint ?? 'no hint'));
});

test('a second start reuses account, key, jobs and balance, and learns its new address', async () => {
  await using world = await openWorld({ worker: false });
  const key = world.app.demo?.key ?? '';
  const created = await world.send('POST', '/nb2/text-generations', { body: textBody, headers: bearer(key) });
  assert.equal(created.status, 202);
  await world.restart();
  assert.equal(world.app.demo?.key, null);
  assert.deepEqual(await clientFile(world), { url: world.url, key });
  const accounts = await world.app.database.read.selectFrom('accounts').select('name').execute();
  assert.deepEqual(accounts.map(({ name }) => name).sort(), ['demo', 'tests']);
  // A small credit, because these processes' jobs run elsewhere, where images may cost money.
  assert.deepEqual(await balanceOf(world, key), { balance: '1.00', reserved: '0.04', available: '0.96' });
  const job = await world.send('GET', `/jobs/${created.body.job_id}`, { headers: bearer(key) });
  assert.equal(job.body.status, 'queued');
});

test('a broken client file neither stops the start nor makes a second account', async () => {
  await using world = await openWorld({ worker: false });
  const { demo } = world.app;
  await writeFile(demo?.file ?? '', '{ not json');
  await world.restart();
  assert.equal(world.app.demo?.key, null);
  const accounts = await world.app.database.read.selectFrom('accounts').select('name').execute();
  assert.equal(accounts.length, 2);
  assert.equal((await balanceOf(world, demo?.key ?? '')).balance, '1.00');
});
