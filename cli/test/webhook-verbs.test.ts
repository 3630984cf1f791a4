import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operate as run } from './operate.ts';

async function operate(args: string[], env: Record<string, string> = {}) {
  const outcome = await run(['webhook', ...args], env);
  const [call = ['', {}]] = outcome.calls as [verb: string, request: Record<string, unknown>][]; // as the fake writes them
  return { ...outcome, call };
}

test('webhook show says why an endpoint is disabled and lists every secret', async () => {
  const { stdout } = await operate(['show', '--account', 'shop']);
  assert.match(stdout, /disabled at 2026-11-20 10:00:00 UTC: it answered 410/);
  assert.match(stdout, /whsec_new\n.*whsec_old until/s);
});

test('endpoints are listed, added with a filter, changed and removed', async () => {
  const listed = await operate(['list', '--account', 'shop']);
  assert.match(listed.stdout, /all +disabled at .*410.* https:\/\/example\.com\/hook +default/);
  assert.match((await operate(['list', '--account', 'shop'], { FAKE_EMPTY: '1' })).stderr, /No endpoints/);

  const url = 'https://example.com/failures';
  const added = await operate(['add', url, '--account', 'shop', '--events', 'job.failed']);
  assert.deepEqual(added.call, ['addEndpoint', { account: 'shop', url, events: ['job.failed'] }]);
  assert.equal(added.stdout, 'whsec_new\n');
  assert.equal((await operate(['add', '--account', 'shop'])).code, 2);
  assert.equal((await operate(['add', url, '--account', 'shop', '--events', 'job.began'])).code, 2);

  const change = (...args: string[]) => operate(['change', 'e1', '--account', 'shop', ...args]);
  const { call, stderr } = await change('--events', 'all', '--disable');
  assert.deepEqual(call[1], { account: 'shop', endpointId: 'e1', events: null, enabled: false });
  assert.match(stderr, /^2 deliveries/);
  assert.equal((await change('--enable', '--disable')).code, 2);
  const removed = await operate(['remove', 'e1', '--account', 'shop']);
  assert.deepEqual(removed.call, ['removeEndpoint', { account: 'shop', endpointId: 'e1' }]);
  assert.deepEqual((await operate(['test', '--account', 'shop', '--endpoint', 'e1'])).call[1], {
    account: 'shop',
    endpointId: 'e1',
  });
});

test('webhook rotate keeps the old secret for a day unless it leaked', async () => {
  const named = { account: 'shop', endpointId: 'default' };
  assert.deepEqual((await operate(['rotate', '--account', 'shop'])).call[1], named);
  const leaked = await operate(['rotate', '--account', 'shop', '--leaked']);
  assert.deepEqual(leaked.call[1], { ...named, leaked: true });
  assert.equal(leaked.stdout, 'whsec_new\n');
});

test('webhook test exits 1 and prints the result when the receiver did not accept it', async () => {
  assert.equal((await operate(['test', '--account', 'shop'])).code, 0);
  const failed = await operate(['test', '--account', 'shop', '--url', 'http://example.com/', '--json']);
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).failure, 'connect_refused');
});

test('webhook deliveries are a table, and JSON with every attempt', async () => {
  const { stdout } = await operate(['deliveries', '--account', 'shop', '--status', 'pending']);
  assert.match(stdout, /evt_1 {2}job\.done {2}pending {2}status +1 +503/);
  const { stdout: json } = await operate(['deliveries', '--account', 'shop', '--json']);
  assert.equal(JSON.parse(json).deliveries[0].history[0].answer, 'busy');
});

test('webhook replay passes its filters on and says how many deliveries it queued', async () => {
  const { stderr, call } = await operate(['replay', '--account', 'shop', '--since', '2h', '--delivered']);
  const [verb, { from, ...request }] = call;
  assert.deepEqual([verb, request], ['replayDeliveries', { account: 'shop', delivered: true }]);
  assert.ok(Math.abs(Date.now() - 7_200_000 - Date.parse(String(from))) < 60_000, String(from));
  assert.match(stderr, /^3 deliveries are on their way/);
  assert.match(
    (await operate(['replay', '--account', 'shop'], { FAKE_EMPTY: '1' })).stderr,
    /Nothing to deliver/,
  );
});
