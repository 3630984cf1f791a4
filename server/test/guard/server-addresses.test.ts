import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayBeServer } from '../../src/base/guard/address-policy.ts';
import { connectables } from '../../src/upstream/providers/providers.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { startEmulator } from '../emulators/emulator.ts';
import { openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

const keys: Record<string, string> = { bedrock: 'SECRETKEYID:secretsecret' };

test('no provider may be at a cloud’s credentials address, a link-local address, or our own', async () => {
  await using world = await openWorld({
    env: { DARKROOM_CDN_URL: 'https://darkroom.example.com:8443' },
  });
  const admin = adminSender(world, (await makeAdminKey(world, 'models', ['models'])).key);
  const operator = await openOperator(world);
  const { port } = new URL(world.url);
  const never = [
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]/latest',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://2852039166',
    'http://169.254.170.2',
    'http://169.254.7.7',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]',
    'http://100.100.100.200',
    'http://168.63.129.16',
    'http://metadata.google.internal',
    'http://0.0.0.0:9',
    'http://127.0.0.1:0',
    'https://darkroom.example.com:8443',
    world.url,
    `http://localhost:${port}`,
    `http://[::ffff:127.0.0.1]:${port}/livez`,
  ];
  for (const provider of connectables) {
    const key = keys[provider] ?? 'a-key';
    for (const address of provider === 'comfyui' ? never : [never[0] ?? '', world.url]) {
      const saved = await admin('PUT', '/connections/own', { provider, base_url: address, key });
      assert.equal(saved.status, 200);
      const { body } = await admin('POST', '/connections/own/check');
      assert.deepEqual([body.ok, body.problem], [false, 'unreachable'], `${provider} ${address}`);
      assert.match(String(body.detail), /^This address cannot be used/, `${provider} ${address}`);
      const trial = await operator.call('POST /panel/operator/connections/try', {
        body: { provider, base_url: address, key },
      });
      assert.match(JSON.stringify(trial), /"This address cannot be used/, `${provider} ${address}`);
    }
  }
});

test('another server’s answer is not passed on, but its reason for a refusal is', async () => {
  await using stranger = await startEmulator([]);
  await using world = await openWorld();
  const admin = adminSender(world, (await makeAdminKey(world, 'models', ['models'])).key);
  const check = async (provider: string) => {
    const key = keys[provider] ?? 'a-key';
    await admin('PUT', '/connections/own', { provider, base_url: stranger.url, key });
    return JSON.stringify((await admin('POST', '/connections/own/check')).body);
  };
  const answers = [
    { status: 200, body: { database: 'a secret of theirs' } },
    { status: 200, headers: { 'content-type': 'text/html' }, body: 'a secret of theirs' },
    { status: 302, headers: { location: 'http://127.0.0.1/a secret of theirs' }, body: 'a secret of theirs' },
  ];
  for (const provider of connectables) {
    for (const answer of answers) {
      stranger.always('unknown', answer);
      const said = await check(provider);
      assert.match(said, /"ok":(false|true)/);
      assert.doesNotMatch(said, /a secret of theirs/, `${provider}: ${said}`);
    }
    stranger.always('unknown', { status: 401, body: { error: { message: 'This key has expired.' } } });
    assert.match(await check(provider), /This key has expired/, provider);
  }
});

test('providers may be in private networks and on this machine', () => {
  const may = [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.1.5',
    '172.17.0.2',
    '100.64.1.1',
    'fd12::1',
    '1.1.1.1',
  ];
  assert.deepEqual(may.filter(mayBeServer), may);
  const mapped = ['::ffff:10.1.2.3', '64:ff9b::101:101', '2002:0a01:0203::1'];
  assert.deepEqual(mapped.filter(mayBeServer), mapped);
  const not = [
    '169.254.169.254',
    '2002:a9fe:a9fe::1',
    '::a9fe:a9fe',
    '::',
    '224.0.0.1',
    'ff02::1',
    'nonsense',
  ];
  assert.deepEqual(not.filter(mayBeServer), []);
});
