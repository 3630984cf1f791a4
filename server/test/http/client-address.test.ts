import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { SettingError } from '../../src/errors.ts';
import { Browser, openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';
import { createRecordingLog } from './support/recording-log.ts';

const log = createRecordingLog();
const world = await openWorld({
  worker: false,
  env: { DARKROOM_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' },
  replacements: { log },
});
after(() => world[Symbol.asyncDispose]());

async function tryFrom(forwarded: string, email: string): Promise<number> {
  const reply = await new Browser(world).try('POST /panel/sign-in', {
    body: { email, password: 'not the right one' },
    headers: { 'x-forwarded-for': forwarded },
  });
  return reply.status;
}

test('behind a proxy, only the one client is slowed down', async () => {
  await using _held = await world.hold();
  for (let nth = 0; nth < 20; nth += 1)
    assert.equal(await tryFrom('198.51.100.1', `person-${nth}@example.com`), 401);
  assert.equal(await tryFrom('198.51.100.1', 'another@example.com'), 429);
  assert.equal(await tryFrom('198.51.100.2', 'another@example.com'), 401);
  // The client itself can have written entries to the left of its own address.
  assert.equal(await tryFrom('203.0.113.9, 198.51.100.1', 'another@example.com'), 429);
  assert.equal(await tryFrom('203.0.113.9, 198.51.100.1, 10.1.2.3', 'another@example.com'), 429);
});

for (const [forwarded, client] of [
  [undefined, '127.0.0.1'],
  ['', '127.0.0.1'],
  ['192.0.2.7', '192.0.2.7'],
  ['1.1.1.1, 192.0.2.7', '192.0.2.7'],
  ['1.1.1.1,192.0.2.7 , 10.9.9.9,fd00::1', '192.0.2.7'],
  ['10.9.9.9, 10.8.8.8', '10.9.9.9'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['[2001:db8::7]:4711', '2001:db8::7'],
  ['2001:DB8:0::7', '2001:db8::7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['1.1.1.1, unknown', '127.0.0.1'],
  ['1.1.1.1, 2130706433', '127.0.0.1'],
  ['1.1.1.1, unknown, 10.9.9.9', '10.9.9.9'],
  [`${'1.1.1.1,'.repeat(1_000)}192.0.2.7`, '192.0.2.7'],
] as const) {
  test(`X-Forwarded-For: ${forwarded?.slice(-40)} comes from ${client}`, async () => {
    log.lines.length = 0;
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    await world.send('GET', '/nope', { headers });
    const line = log.lines.find((text) => text.startsWith('request.finished '));
    assert.match(line ?? 'no line', new RegExp(`"client":"${client}"`));
  });
}

test('the audit log records the address', async () => {
  const operator = await openOperator(world);
  const from = { headers: { 'x-forwarded-for': '192.0.2.44' } };
  await operator.call('POST /panel/operator/operators/invite', { body: {}, ...from });
  const { data } = await operator.call('GET /admin/v1/audit');
  assert.deepEqual(
    data.map(({ action, address }) => [action, address]),
    [
      ['operator.invited', '192.0.2.44'],
      ['link.opened', '127.0.0.1'],
    ],
  );
});

test('no address is a proxy unless the setting says so, and the setting cannot name all addresses', async () => {
  assert.deepEqual(readConfig({}).http.trustedProxies, []);
  for (const text of ['0.0.0.0/0', '10.0.0.1, ::/0', 'nginx', '10.0.0.0/40'])
    assert.throws(() => readConfig({ DARKROOM_TRUSTED_PROXIES: text }), SettingError, text);
  await using plain = await openWorld({ worker: false, replacements: { log } });
  log.lines.length = 0;
  await plain.send('GET', '/nope', { headers: { 'x-forwarded-for': '192.0.2.7' } });
  assert.ok(log.lines.some((line) => line.includes('"client":"127.0.0.1"')));
});
