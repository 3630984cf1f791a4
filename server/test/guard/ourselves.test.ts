import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createGuard } from '../../src/base/guard/guard.ts';
import { GuardError } from '../../src/base/guard/guard-error.ts';
import { createOwnServices } from '../../src/base/guard/own-services.ts';
import { startDnsServer } from '../inputs/support/dns-server.ts';
import { startStranger, strangerAddress, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';

/** Runs a command in a separate network, in which only this machine has a public address, 8.8.8.8. */
const inOwnNetwork = [
  '-rn',
  'sh',
  '-c',
  'ip link set lo up && ip address add 8.8.8.8/32 dev lo && exec "$@"',
  '-',
];

const isBlocked = (error: unknown) => error instanceof GuardError && error.reason === 'blocked';

/** The internet of these tests: every name leads to a server that plays the router in front of us. */
const startInternet = () =>
  startDnsServer((_name, type) => ({ addresses: type === 'A' ? [strangerAddress] : [] }));

test('inputs and callbacks to our public name lead to no connection, whatever is behind it', async () => {
  let requests = 0;
  await using router = await startStranger((_request, response) => {
    requests += 1;
    response.end();
  });
  await using dns = await startInternet();
  await using world = await openWorld({
    env: {
      DARKROOM_ALLOW_NETWORKS: strangerNetwork,
      DARKROOM_CDN_URL: `http://images.example.com:${router.port}`,
    },
    replacements: { dnsServers: [dns.address] },
  });
  const create = (body: object, kind = 'url') =>
    world.send('POST', `/nb/${kind}-generations`, { body: { prompt: 'a', aspect_ratio: '1:1', ...body } });
  for (const own of [
    `http://images.example.com:${router.port}/livez`,
    `http://IMAGES.example.com.:${router.port}/livez`,
    `https://images.example.com:${router.port}/livez`,
    // The router under another name, and under its address.
    `http://innocent.example.com:${router.port}/livez`,
    `http://${strangerAddress}:${router.port}/livez`,
  ]) {
    const reply = await create({ input_images_urls: [own] });
    assert.equal(reply.status, 422, own);
    assert.match(JSON.stringify(reply.body), /leads back to this service|does not lead to a public/, own);
  }
  const callback = { callback_url: `https://images.example.com:${router.port}/hook` };
  assert.equal((await create(callback, 'text')).status, 422);
  assert.equal(requests, 0);
});

test('behind one of our names, ports that this machine listens on are closed, and others are not', async () => {
  const router = '93.184.215.14';
  await using dns = await startDnsServer((_name, type) => ({ addresses: type === 'A' ? [router] : [] }));
  const guard = createGuard({
    allowNetworks: [],
    dnsServers: [dns.address],
    ownUrls: () => ['https://images.example.com'],
    ownAddresses: () => [{ address: '0.0.0.0', port: 3000 }],
    ownServices: createOwnServices(() => [{ host: '127.0.0.1', port: 8188, onlyIfOpen: true }]),
  });
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  for (const origin of ['http://innocent.example.com:8188', `http://${router}:3000`])
    await assert.rejects(agent.request({ origin, path: '/', method: 'GET' }), isBlocked);
  assert.equal(guard.checkUrl(`http://${router}:8080/`).ok, true);
});

test('a proxy that others share stays reachable under their names', async () => {
  await using dns = await startInternet();
  const guard = createGuard({
    allowNetworks: [strangerNetwork],
    dnsServers: [dns.address],
    ownUrls: () => ['https://images.example.com'],
  });
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  await assert.rejects(
    agent.request({ origin: 'https://another.example.com', path: '/', method: 'GET' }),
    (error) => !isBlocked(error),
  );
});

test('an image server on this machine is closed at the machine’s public address, too', {
  skip: !hasNetworks() && 'networks of their own need Linux with unshare and ip',
}, async () => {
  const from = (file: string) =>
    JSON.stringify(new URL(`../../src/base/guard/${file}`, import.meta.url).href);
  const script = `
    const { createGuard } = await import(${from('guard.ts')});
    const { createOwnServices } = await import(${from('own-services.ts')});
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => response.end('the images of everybody'));
    await new Promise((resolve) => server.listen(8188, '0.0.0.0', resolve));
    const ownServices = createOwnServices(() => [{ host: '127.0.0.1', port: 8188, onlyIfOpen: true }]);
    const agent = await createGuard({ allowNetworks: [], ownServices }).agent();
    const answer = await agent.request({ origin: 'http://8.8.8.8:8188', path: '/', method: 'GET' })
      .then(({ statusCode }) => statusCode, (error) => error.reason);
    process.stdout.write(String(answer), () => process.exit());`;
  const child = [...inOwnNetwork, process.execPath, '--input-type=module', '-e', script];
  assert.equal((await promisify(execFile)('unshare', child)).stdout, 'blocked');
});

function hasNetworks(): boolean {
  try {
    execFileSync('unshare', [...inOwnNetwork, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
