import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { adminKeyVerbs } from '../../src/accounts/admin-keys/admin-key-verbs.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';
import { adminSender, makeAdminKey } from './admin-client.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const verbs = () => adminKeyVerbs({ database: world.app.database, clock: world.clock }, commandLine);

test('an admin key is accepted only below /admin/v1, and an API key nowhere there', async () => {
  const { key } = await makeAdminKey(world, 'billing', ['accounts', 'money']);
  assert.match(key, /^dka_[0-9A-Za-z]{38}$/);
  assert.equal((await adminSender(world, key)('GET', '/accounts')).status, 200);
  const besideCookie = await adminSender(world, key)('GET', '/owed.csv', undefined, { cookie: 'seen=1' });
  assert.equal(besideCookie.status, 200, 'a key counts, whatever cookies a proxy adds');
  const followed = await (await openOperator(world)).send('GET', '/admin/v1/owed.csv');
  assert.equal(followed.status, 200, 'a signed-in operator follows a link');
  const asApiKey = await world.send('GET', '/balance', { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([asApiKey.status, asApiKey.body.code], [401, 'key_invalid']);
  const other = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
  for (const wrong of [world.key, 'dka_wrong', other]) {
    const refused = await adminSender(world, wrong)('GET', '/accounts');
    assert.deepEqual([refused.status, refused.body.code], [401, 'key_invalid'], wrong);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  }
  const without = await fetch(`${world.url}/admin/v1/accounts`);
  const told = (await without.json()) as { code: string; detail: string };
  assert.equal(told.code, 'key_missing');
  assert.match(told.detail, /^Send your admin key in one header: .*<ADMIN_KEY>/);
});

test('an expired or disabled key is refused at once', async () => {
  const brief = await makeAdminKey(world, 'brief', ['read'], { expiresIn: 60 });
  const send = adminSender(world, brief.key);
  assert.equal((await send('GET', '/accounts')).status, 200);
  await world.elapse(61_000);
  assert.equal((await send('GET', '/accounts')).status, 401);

  const ended = await makeAdminKey(world, 'ended', ['read']);
  await assert.rejects(makeAdminKey(world, 'ended', ['read']), /already an admin key named/);
  for (const named of ['ended', ended.key_id]) await verbs().disableAdminKey(named);
  const auditor = adminSender(world, (await makeAdminKey(world, 'auditor', ['system'])).key);
  const { body: log } = await auditor('GET', '/audit?action=admin_key.disabled');
  const disabled = (log.data as { subject: string }[]).map(({ subject }) => subject);
  assert.deepEqual(disabled, [ended.key_id], 'a repeat changes nothing');
  await assert.rejects(verbs().disableAdminKey('another'), /There is no admin key "another"/);
  assert.equal((await adminSender(world, ended.key)('GET', '/accounts')).status, 401);
  const again = await makeAdminKey(world, 'ended', ['read']);
  assert.notEqual(again.key_id, ended.key_id);
  const known = await verbs().listAdminKeys();
  assert.ok(known.every((one) => !('key' in one) && !JSON.stringify(one).includes(ended.key)));
});

test('a key is accepted only from its networks', async () => {
  const networks = ['203.0.113.0/24'];
  await assert.rejects(
    makeAdminKey(world, 'nowhere', ['read'], { networks: ['here'] }),
    /"here" is not an address/,
  );
  await assert.rejects(
    makeAdminKey(world, 'everywhere', ['read'], { networks: Array(101).fill('203.0.113.0/24') }),
    /must have at most 100 entries/,
  );
  const away = await makeAdminKey(world, 'away', ['read'], { networks });
  const refused = await adminSender(world, away.key)('GET', '/accounts');
  assert.deepEqual([refused.status, refused.body.code], [403, 'address_refused']);
  const here = await makeAdminKey(world, 'here', ['read'], { networks: ['127.0.0.0/8', '::1'] });
  assert.equal((await adminSender(world, here.key)('GET', '/accounts')).status, 200);
  const shown = async (keyId: string) =>
    (await verbs().listAdminKeys()).find(({ key_id }) => key_id === keyId);
  const ofHere = await eventually(
    () => shown(here.key_id),
    (one) => one?.last_used_at !== null,
  );
  assert.equal(ofHere?.last_used_address, '127.0.0.1');
  const ofAway = await shown(away.key_id);
  await world.elapse(30_000);
  assert.equal((await adminSender(world, here.key)('GET', '/accounts')).status, 200);
  await verbs().disableAdminKey('away'); // waits for earlier writes on SQLite
  const later = await shown(here.key_id);
  assert.equal(later?.last_used_at, ofHere?.last_used_at, 'it is written at most once a minute');
  assert.deepEqual([ofAway?.networks, ofAway?.last_used_at], [networks, null]);
});

test('a refusal names the missing scope, and each scope reads what it changes', async () => {
  const reader = adminSender(world, (await makeAdminKey(world, 'reader', ['read'])).key);
  const accounts = adminSender(world, (await makeAdminKey(world, 'accounts', ['accounts'])).key);
  assert.equal((await reader('GET', '/status')).status, 200);
  const refused = await reader('POST', '/accounts', { name: 'never' });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.scopes],
    [403, 'scope_required', ['accounts']],
  );
  assert.match(String(refused.body.detail), /needs the scope accounts\. The admin key "reader" has read\./);
  assert.equal((await accounts('GET', '/accounts')).status, 200);
  assert.deepEqual((await accounts('GET', '/status')).body.scopes, ['read', 'system']);
  const credited = await accounts('POST', '/accounts', { name: 'never', credit: '5' });
  assert.deepEqual(credited.body.scopes, ['money']);
  assert.deepEqual((await reader('GET', '/accounts?q=never')).body.data, []);
});

test('a name has 1 to 100 characters', async () => {
  const longest = 'x'.repeat(100);
  assert.equal((await makeAdminKey(world, longest, ['read'])).name, longest);
  for (const wrong of [`${longest}x`, '', ' '])
    await assert.rejects(makeAdminKey(world, wrong, ['read']), /has 1 to 100 characters/);
});

test('scopes that do not exist, and none, are refused', async () => {
  await assert.rejects(
    verbs().createAdminKey('x', { scopes: ['all'] }),
    /"all" is no scope\. There are: read, accounts/,
  );
  await assert.rejects(verbs().createAdminKey('x', { scopes: [] }), /needs a scope/);
});

test('wrong keys are slowed down, whichever API they are sent to', async () => {
  await using strict = await openWorld({
    worker: false,
    config: { wrongKeyLimit: { perSecond: 0.001, burst: 3 } },
  });
  const { key } = await makeAdminKey(strict, 'good', ['read']);
  const wrong = adminSender(strict, 'dka_wrong');
  const codes = [];
  for (let tries = 0; tries < 2; tries += 1) codes.push((await wrong('GET', '/accounts')).body.code);
  for (let tries = 0; tries < 2; tries += 1)
    codes.push(
      (await strict.send('GET', '/balance', { headers: { authorization: 'Bearer dk_wrong' } })).body.code,
    );
  assert.deepEqual(codes, ['key_invalid', 'key_invalid', 'key_invalid', 'too_many_requests']);
  assert.equal((await adminSender(strict, key)('GET', '/accounts')).status, 200);
});
