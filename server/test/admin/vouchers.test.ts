import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { startApp } from '../../src/app.ts';
import { bearer } from '../http/support/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type Reply } from '../world/world.ts';
import { makeAdminKey, openAdministration } from './admin-client.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);

function redeem(code: unknown, key = world.key, headers = {}): Promise<Reply> {
  return world.send('POST', '/vouchers/redeem', { body: { code }, headers: { ...bearer(key), ...headers } });
}

async function balanceOf(key: string): Promise<unknown> {
  return (await world.send('GET', '/balance', { headers: bearer(key) })).body.balance;
}

async function makeOne(more: { uses?: number; expires_at?: string } = {}) {
  const { codes, voucher_batch_id: id } = await admin().createVouchers({ amount: '2.50', count: 1, ...more });
  return { id, code: codes[0] ?? '' };
}

test('a code is worth its amount, once per account, however it is typed', async () => {
  const { key } = await world.account('reader');
  const made = await admin().createVouchers({ amount: '2.50', count: 3, name: 'fair' });
  assert.deepEqual(
    [made.amount, made.count, made.uses, made.redeemed, made.name, made.expires_at, made.withdrawn_at],
    ['2.50', 3, 1, 0, 'fair', null, null],
  );
  assert.equal(new Set(made.codes).size, 3);
  const [code = ''] = made.codes;
  assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/);
  const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`;
  const first = await redeem(typed, key);
  assert.deepEqual([first.status, first.body], [200, { amount: '2.50', balance: '2.50' }]);
  const second = await redeem(code, key);
  assert.deepEqual([second.status, second.body.code], [409, 'voucher_refused']);
  const { key: other } = await world.account('late');
  assert.equal((await redeem(code, other)).body.code, 'voucher_refused');
  assert.deepEqual([await balanceOf(key), await balanceOf(other)], ['2.50', '0.00']);
  const { data } = (await world.send('GET', '/entries', { headers: bearer(key) })).body;
  const [entry] = data as { kind: string; amount: string; reason: string }[];
  assert.deepEqual(
    [entry?.kind, entry?.amount, entry?.reason],
    ['credit', '2.50', `Voucher …${code.slice(-4)}`],
  );
  const listed = (await admin().listVouchers()).data.find((one) => one.name === 'fair');
  assert.deepEqual([listed?.redeemed, JSON.stringify(listed).includes(code)], [1, false]);
});

test('a code with several uses can be redeemed by as many accounts', async () => {
  const { code } = await makeOne({ uses: 2 });
  const keys = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await world.account(name)).key),
  );
  const statuses = [];
  for (const key of keys) statuses.push((await redeem(code, key)).status);
  assert.deepEqual(statuses, [200, 200, 409]);
});

test('a lost answer is requested again under its Idempotency-Key', async () => {
  const { key } = await world.account('repeats');
  const { code } = await makeOne();
  const once = { 'idempotency-key': 'c6e3f0f4-5c1e-4a3c-9a53-5b9d8a2f0e11' };
  const first = await redeem(code, key, once);
  const again = await redeem(code, key, once);
  assert.deepEqual([again.status, again.body, await balanceOf(key)], [200, first.body, '2.50']);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
});

test('mistyped, unknown, used-up and withdrawn codes have different errors, and add nothing', async () => {
  const { key } = await world.account('refused');
  const { id, code } = await makeOne();
  const mistyped = code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A');
  for (const wrong of [mistyped, code.slice(1), `${code}0`, '\u0000', 'x'.repeat(100)]) {
    const { status, body } = await redeem(wrong, key);
    assert.deepEqual([status, body.code], [422, 'invalid_request'], wrong);
  }
  assert.equal((await redeem('6M3S-T9BP-AVTY-5601-GWZZ-1NBG-8CRC', key)).status, 404);
  await admin().withdrawVouchers(id);
  await admin().withdrawVouchers(id);
  assert.match(String((await redeem(code, key)).body.detail), /withdrawn/);
  const ends = new Date(world.clock.nowMs() + 60_000).toISOString();
  const { code: ending } = await makeOne({ expires_at: ends });
  await world.jump(61_000);
  assert.match(String((await redeem(ending, key)).body.detail), /expired/);
  assert.equal(await balanceOf(key), '0.00');
});

test('vouchers without a value, or that have already ended, are not created', async () => {
  const past = new Date(0).toISOString();
  for (const wrong of [
    { amount: '0', count: 1 },
    { amount: '1', count: 0 },
    { amount: '1', count: 1, expires_at: past },
    { amount: '1', count: 1, expires_at: '9999-12-31T23:59:59-14:00' },
    { amount: '1', count: 1, name: ' ' },
  ])
    await assert.rejects(admin().createVouchers(wrong), { code: 'invalid_request' });
});

test('200 redemptions at the same time by two processes: one account has it, once', async () => {
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const accounts = await Promise.all(Array.from({ length: 10 }, (_, nth) => world.account(`racer ${nth}`)));
  const { code } = await makeOne();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, nth) => {
      const url = nth % 2 === 0 ? world.url : second.url;
      const response = await fetch(`${url}/api/v1/vouchers/redeem`, {
        method: 'POST',
        headers: { ...bearer(accounts[nth % 10]?.key ?? ''), 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  assert.equal(answers.filter((status) => status === 200).length, 1);
  // A server that answers too late says so, and has added nothing.
  assert.deepEqual(
    answers.filter((status) => ![200, 409, 503].includes(status)),
    [],
  );
  const balances = await Promise.all(accounts.map(({ key }) => balanceOf(key)));
  assert.deepEqual(
    balances.filter((balance) => balance !== '0.00'),
    ['2.50'],
  );
});

test('the command makes a table for printing, redeems, lists and withdraws', async () => {
  const { key: adminKey } = await makeAdminKey(world, 'printer', ['money']);
  const { key } = await world.account('shopper');
  const operator = { DARKROOM_URL: `${world.url}/api/v1`, DARKROOM_ADMIN_KEY: adminKey };
  const client = { DARKROOM_URL: world.url, DARKROOM_API_KEY: key };
  const run = (args: string[], env: Record<string, string>) => runDarkroom(args, { cwd: tmpdir(), env });
  const made = await run(['voucher', 'create', '5', '2', '--expires', '90d', '--csv'], operator);
  const [head, first = '', ...rest] = made.stdout.trim().split('\n');
  assert.deepEqual([head, rest.length], ['code,amount,expires_at', 1]);
  assert.match(first, /^[0-9A-Z-]{34},5\.00,20\d\d-/);
  const [code = ''] = first.split(',');
  assert.match((await run(['redeem', code], client)).stderr, /5\.00 was added: the balance is 5\.00\./);
  assert.match((await run(['redeem', code], client)).stderr, /redeemed by this account already/);
  const { stdout } = await run(['voucher', 'list', '--json'], operator);
  const [batch] = JSON.parse(stdout).data;
  assert.deepEqual([batch.amount, batch.count, batch.redeemed], ['5.00', 2, 1]);
  assert.equal((await run(['voucher', 'withdraw', batch.voucher_batch_id], operator)).code, 0);
  assert.match((await run(['voucher', 'list'], operator)).stdout, /withdrawn/);
});
