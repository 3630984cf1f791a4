import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { banner } from '../../src/start/banner.ts';
import { openWorld } from '../world/world.ts';
import { createRecordingLog } from './support/recording-log.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((entries) =>
  entries?.some(({ address }) => address === '::1'),
);

test('HOST=::1 is an address in brackets, which answers: in the banner, in client.json and in links', {
  skip: !hasIpv6 && 'THIS MACHINE HAS NO ::1',
}, async () => {
  await using world = await openWorld({ worker: false, env: { HOST: '::1' } });
  assert.match(world.url, /^http:\/\/\[::1\]:\d+$/);
  assert.ok(banner(world.config, world.app).includes(`API        ${world.url}/api/v1`));
  const file = JSON.parse(await readFile(world.app.demo?.file ?? '', 'utf8')) as { url: string };
  assert.equal(file.url, world.url);
  assert.equal((await fetch(`${file.url}/livez`)).status, 200);
});

for (const HOST of ['0.0.0.0', '0', ...(hasIpv6 ? ['::', '0:0:0:0:0:0:0:0'] : [])]) {
  test(`HOST=${HOST} leads to localhost, and says that clients elsewhere need DARKROOM_PUBLIC_URL`, async () => {
    const log = createRecordingLog();
    await using world = await openWorld({ worker: false, env: { HOST }, replacements: { log } });
    assert.match(world.url, /^http:\/\/localhost:\d+$/);
    assert.match(banner(world.config, world.app), /set DARKROOM_PUBLIC_URL/);
    assert.ok(log.has('public_url.missing'));
  });
}

test('with DARKROOM_PUBLIC_URL, or on one address, there is no hint', async () => {
  for (const env of [
    { HOST: '0.0.0.0', DARKROOM_PUBLIC_URL: 'https://images.example.com' },
    { HOST: '127.0.0.1' },
  ]) {
    const log = createRecordingLog();
    await using world = await openWorld({ worker: false, env, replacements: { log } });
    assert.doesNotMatch(banner(world.config, world.app), /DARKROOM_PUBLIC_URL/);
    assert.ok(!log.has('public_url.missing'));
  }
});
