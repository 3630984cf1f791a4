import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { startCanary } from '../inputs/support/canary.ts';
import { startDnsServer } from '../inputs/support/dns-server.ts';
import { openWorld, type World, type WorldOptions } from '../world/world.ts';

async function openBoth(options: WorldOptions = {}) {
  const emulator = Object.assign(await startOpenAi(), { links: true });
  const env = { OPENAI_BASE_URL: `${emulator.url}/v1`, OPENAI_COMPATIBLE_API_KEY: openAiKey };
  const world = await openWorld({ ...options, env: { ...env, ...options.env }, ownRoutes: true });
  return {
    emulator,
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    },
  };
}

async function outcome(world: World): Promise<unknown> {
  const { status, error_code } = await world.finished(await world.create());
  return error_code ?? status;
}

describe('links to results', { concurrency: true }, () => {
  test('to the operator’s address are followed, even if it is local', async () => {
    await using both = await openBoth();
    assert.equal(await outcome(both.world), 'done');
    assert.equal(both.emulator.of('file').length, 1);
  });

  test('that are refused leave their route open', async () => {
    await using both = await openBoth();
    const { emulator, world } = both;
    for (const status of [401, 402]) {
      emulator.always('file', { status, headers: {}, body: 'expired' });
      assert.notEqual(await outcome(world), 'done');
    }
    const health = await world.app.database.read.selectFrom('route_health').select('state').execute();
    assert.deepEqual(health, []);
  });

  for (const what of ['busy', 'gone'])
    test(`to another host that is ${what} leave their route open, and the image is made only twice`, async () => {
      await using other = await startOpenAi();
      await using both = await openBoth({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
      const { emulator, world } = both;
      emulator.always('generate', { body: { data: [{ url: `${other.url}/generated-images/x.png` }] } });
      other.always('file', { status: 429, headers: {}, body: 'slow down' });
      if (what === 'gone') await other[Symbol.asyncDispose]();
      assert.notEqual(await outcome(world), 'done');
      const health = await world.app.database.read.selectFrom('route_health').select('state').execute();
      assert.deepEqual(health, []);
      assert.equal(emulator.of('generate').length, 2);
    });

  test('to any other local address get no connection, directly or by a redirect', async () => {
    await using canary = await startCanary();
    await using dns = await startDnsServer((_name, type) => ({
      addresses: type === 'A' ? ['127.0.0.1'] : [],
    }));
    await using both = await openBoth({ replacements: { dnsServers: [dns.address] } });
    const { emulator, world } = both;
    const url = `http://127.0.0.1:${canary.port}/result.png`;
    emulator.always('generate', { body: { data: [{ url }] } });
    assert.equal(await outcome(world), 'no_image');
    emulator.always('generate', { body: { data: [{ url: `${emulator.url}/generated-images/x.png` }] } });
    const location = `http://cdn.example.com:${canary.port}/result.png`;
    emulator.always('file', { status: 302, headers: { location }, body: '' });
    assert.equal(await outcome(world), 'no_image');
    assert.equal(canary.hits(), 0);
  });

  test('to a network that the operator opened are followed, but not to our other servers there', async () => {
    await using other = await startOpenAi();
    await using both = await openBoth({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
    const { emulator, world } = both;
    const url = `${other.url}/generated-images/x.png`;
    emulator.always('generate', { body: { data: [{ url }] } });
    assert.equal(await outcome(world), 'done');
    emulator.always('generate', { body: { data: [{ url: `${world.url}/livez` }] } });
    assert.equal(await outcome(world), 'no_image');
  });
});
