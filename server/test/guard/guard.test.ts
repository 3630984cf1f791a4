import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAddressPolicy } from '../../src/base/guard/address-policy.ts';
import { createGuard } from '../../src/base/guard/guard.ts';
import { GuardError } from '../../src/base/guard/guard-error.ts';
import { createOwnServices } from '../../src/base/guard/own-services.ts';
import { NameError, resolveName } from '../../src/base/guard/resolve-name.ts';
import { eventually } from '../http/support/requests.ts';
import { startCanary } from '../inputs/support/canary.ts';
import { type DnsAnswer, startDnsServer } from '../inputs/support/dns-server.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { makeInputWorld } from '../inputs/support/input-world.ts';
import { startStranger, strangerAddress } from '../inputs/support/strangers.ts';

const accepts = (allowNetworks: string[], url: string) => createGuard({ allowNetworks }).checkUrl(url).ok;

test('without open networks, only public addresses pass', () => {
  for (const host of [
    '8.8.8.8',
    '93.184.215.14',
    '[2606:4700::1111]',
    '[2a00:1450:4001::1]',
    'example.com',
  ]) {
    assert.equal(accepts([], `https://${host}/a.png`), true, host);
  }
  for (const host of [
    '[2001:db8::1]',
    '[2002:808:808::1]',
    '[3fff::1]',
    '[2001::1]',
    '192.88.99.1',
    '240.0.0.1',
    // Addresses that were never assigned: the network decides where they lead.
    '[1000::1]',
    '[4000::1]',
    '[5f00::1]',
    '[e000::1]',
  ]) {
    assert.equal(accepts([], `https://${host}/a.png`), false, host);
  }
});

test('exactly the open network is open, on any port', () => {
  assert.equal(accepts(['10.1.0.0/16'], 'http://10.1.255.255:6379/'), true);
  assert.equal(accepts(['10.1.0.0/16'], 'http://10.2.0.0/'), false);
  assert.equal(accepts(['10.1.0.0/16'], 'http://127.0.0.1/'), false);
  assert.equal(accepts(['10.1.2.3'], 'http://10.1.2.3/'), true);
  assert.equal(accepts(['10.1.2.3'], 'http://10.1.2.4/'), false);
  assert.equal(accepts(['fd00:1::/32'], 'http://[fd00:1::5]/'), true);
  assert.equal(accepts(['fd00:1::/32'], 'http://[fd00:2::5]/'), false);
  assert.equal(accepts(['10.1.0.0/16'], 'http://8.8.8.8:6379/'), false, 'ports elsewhere stay refused');
  assert.equal(accepts(['10.1.0.0/16'], 'http://example.com:6379/'), true, 'a name may lead there');
  for (const host of ['example.com', '10.1.0.1'])
    assert.equal(accepts(['10.1.0.0/16'], `http://${host}:0/`), false, 'nothing listens on port 0');
});

test('localhost is open when loopback is, whether or not Node tries both kinds of addresses', async (t) => {
  for (const url of [
    'http://127.0.0.1:8000/a.png',
    'http://localhost:8000/a.png',
    'http://x.localhost:8000/',
  ]) {
    assert.equal(accepts(['127.0.0.0/8'], url), true, url);
    assert.equal(accepts(['10.0.0.0/8'], url), false, url);
  }
  assert.equal(accepts(['127.0.0.0/8'], 'http://[::1]:8000/'), false);
  assert.equal(accepts(['::1'], 'http://[::1]:8000/'), true);
  await using server = await startStranger((_request, response) => response.end(onePixelPng), '127.0.0.1');
  await using world = await makeInputWorld({ allowNetworks: ['127.0.0.0/8'], zone: () => 'nxdomain' });
  const triesBoth = getDefaultAutoSelectFamily();
  t.after(() => setDefaultAutoSelectFamily(triesBoth));
  for (const both of [true, false]) {
    setDefaultAutoSelectFamily(both);
    await using set = await world.fetch([`http://localhost:${server.port}/a.png`, `${server.origin}/a.png`]);
    assert.equal(set.files.length, 2);
  }
});

test('metadata addresses stay closed whatever is open', () => {
  const everything = ['0.0.0.0/0', '::/0'];
  const hosts = [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[fd00:ec2::254]',
  ];
  for (const host of [
    ...hosts,
    '[::ffff:169.254.169.254]',
    '[::a9fe:a9fe]',
    'metadata.google.internal',
    'metadata',
  ]) {
    assert.equal(accepts(everything, `http://${host}/`), false, host);
  }
  assert.equal(accepts(everything, 'http://10.0.0.1/'), true);
});

test('only ports that browsers block, and those of data stores and control planes, are refused', () => {
  const byFetch =
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 ' +
    '123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 ' +
    '990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080';
  const services: Record<string, number[]> = {
    files: [445, 873],
    databases: [1433, 1521, 3306, 5432, 5433, 6432, 27017, 27018],
    desktops: [3389],
    queues: [1883, 4222, 5671, 5672, 8883, 9092],
    caches: [6379, 6380, 11211, 26379],
    searches: [9200, 9300],
    'control planes': [2181, 2375, 2376, 2379, 2380, 6443, 10250, 10255],
  };
  const refused: number[] = [];
  for (let port = 0; port <= 65_535; port++)
    if (!accepts([], `http://example.com:${port}/`)) refused.push(port);
  const expected = [...byFetch.split(' ').map(Number), ...Object.values(services).flat()];
  assert.deepEqual(
    refused,
    expected.sort((one, other) => one - other),
  );
});

test('of a name’s addresses, the first six are tried', async () => {
  await using stranger = await startStranger((_request, response) => response.end());
  const others = ['11', '12', '13', '14', '15', '16', '17'].map((last) => `127.10.9.${last}`);
  const withStrangerAt = (nth: number) => others.toSpliced(nth - 1, 0, strangerAddress);
  await using dns = await startDnsServer((name, type) => ({
    addresses: type === 'A' ? withStrangerAt(Number(name.split('.')[0])) : [],
  }));
  const guard = createGuard({ allowNetworks: ['127.10.0.0/16'], dnsServers: [dns.address] });
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  const get = (nth: number) =>
    agent.request({ origin: `http://${nth}.example.com:${stranger.port}`, path: '/', method: 'GET' });
  for (const nth of [1, 6]) assert.equal((await get(nth)).statusCode, 200, `at place ${nth}`);
  await assert.rejects(get(7), { code: 'ECONNREFUSED' });
});

test('an invalid network stops the start and is named', () => {
  assert.throws(() => createGuard({ allowNetworks: ['10.0.0.0/33'] }), /10\.0\.0\.0\/33/);
  assert.throws(() => createGuard({ allowNetworks: ['localhost'] }), TypeError);
});

test('the agent, as webhooks use it, blocks a name that leads to loopback', async () => {
  await using canary = await startCanary();
  await using dns = await startDnsServer((_name, type) => ({ addresses: type === 'A' ? ['127.0.0.1'] : [] }));
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(
    await createGuard({ allowNetworks: [], dnsServers: [dns.address] }).agent(),
    (it) => it.destroy(),
  );
  for (const origin of [
    `http://hook.example.com:${canary.port}`,
    `http://127.0.0.1:${canary.port}`,
    `http://localhost:${canary.port}`,
    `https://[::1]:${canary.port}`,
  ]) {
    await assert.rejects(agent.request({ origin, path: '/', method: 'POST', body: '{}' }), (error) => {
      assert(error instanceof GuardError);
      assert.equal(error.reason, 'blocked');
      return true;
    });
  }
  assert.equal(canary.hits(), 0);
});

test('the agent blocks metadata names, wherever they lead', async () => {
  await using stranger = await startStranger((_request, response) => response.end());
  await using dns = await startDnsServer((_name, type) => ({
    addresses: type === 'A' ? [strangerAddress] : [],
  }));
  const guard = createGuard({ allowNetworks: ['127.10.0.0/16'], dnsServers: [dns.address] });
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  const get = (host: string) =>
    agent.request({ origin: `http://${host}:${stranger.port}`, path: '/', method: 'GET' });
  await assert.rejects(get('metadata.google.internal'), GuardError);
  await assert.rejects(get('metadata.google.internal.'), GuardError);
  assert.equal((await get('hook.example.com')).statusCode, 200);
});

test('a name that leads to one of our servers is blocked, wherever the server is and whatever its name', async () => {
  await using dns = await startDnsServer((_name, type) => ({ addresses: type === 'A' ? ['10.1.0.1'] : [] }));
  const places: Record<string, string> = { database: '10.1.0.1', far: '93.184.215.14', hosted: '8.8.8.8' };
  const lookups: string[] = [];
  const ownServices = createOwnServices(
    () => [
      { host: 'database', port: 8432 },
      { host: 'far', port: 8432 },
      { host: 'hosted', port: 443, onlyIfOpen: true },
      { host: 'localhost', port: 8432 },
    ],
    async (host) => {
      lookups.push(host);
      await nextTurn();
      return [places[host] ?? ''];
    },
  );
  const guard = createGuard({ allowNetworks: ['10.1.0.0/16'], dnsServers: [dns.address], ownServices });
  await using stack = new AsyncDisposableStack();
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  const passes = (url: string) => guard.checkUrl(url).ok;
  await ownServices.refresh(8432);
  assert.equal(passes('http://10.1.0.1:8432/'), false, 'the first connection waits until it is known');
  await assert.rejects(
    agent.request({ origin: 'http://innocent.example.com:8432', path: '/', method: 'GET' }),
    (error) => error instanceof GuardError && error.reason === 'blocked',
  );
  await ownServices.refresh(443);
  assert.equal(passes('http://93.184.215.14:8432/'), false);
  assert.equal(passes('http://10.1.0.1:8080/'), true, 'other ports stay open');
  assert.equal(passes('https://8.8.8.8/'), true, 'many share the public address of a hosted service');
  assert.deepEqual(
    lookups,
    ['database', 'far', 'hosted'],
    'answers serve for a while, and localhost needs none',
  );
});

test('a server that an operator names may be a service that clients can reach only in open networks, and no other of ours', async () => {
  await using stranger = await startStranger((_request, response) => response.end(), '127.0.0.1');
  const beside = ['http://127.0.0.1:9', 'http://localhost:9', `http://10.1.2.3:${stranger.port}`];
  const statusAt = async (host: string, onlyIfOpen: boolean) => {
    const service = { host: 'database', port: stranger.port, onlyIfOpen };
    const ownServices = createOwnServices(
      () => [service],
      async () => ['127.0.0.1'],
    );
    await using stack = new AsyncDisposableStack();
    const guard = createGuard({ allowNetworks: [], ownServices, ownUrls: () => beside });
    const agent = stack.adopt(await guard.serverAgent(), (it) => it.destroy());
    const origin = `http://${host}:${stranger.port}`;
    const answer = await agent.request({ origin, path: '/', method: 'GET' });
    await answer.body.dump();
    return answer.statusCode;
  };
  for (const host of ['127.0.0.1', 'localhost']) {
    assert.equal(await statusAt(host, true), 200, host);
    await assert.rejects(statusAt(host, false), GuardError, host);
  }
});

test('a connection that has already ended has no address, and is refused', () => {
  assert.equal(createAddressPolicy(['0.0.0.0/0', '::/0'])(''), 'refused');
});

test('a connection whose address proves wrong once it is open gets no byte', async () => {
  let requests = 0;
  let asked = 0;
  await using stranger = await startStranger((_request, response) => {
    requests++;
    response.end();
  });
  // Allowed when the address is checked before connecting, and our own address when the socket is checked.
  const ownAddresses = () => (asked++ === 0 ? [] : [{ address: strangerAddress, port: stranger.port }]);
  await using stack = new AsyncDisposableStack();
  const guard = createGuard({ allowNetworks: ['127.10.0.0/16'], ownAddresses });
  const agent = stack.adopt(await guard.agent(), (it) => it.destroy());
  const ended = once(stranger.server, 'connection').then(([socket]) => once(socket, 'close'));
  await assert.rejects(agent.request({ origin: stranger.origin, path: '/', method: 'GET' }), GuardError);
  await ended;
  assert.equal(requests, 0);
  assert.equal(asked, 2);
});

test('a name whose IPv6 query is never answered is fetched over IPv4 without the full wait', async () => {
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  await using world = await makeInputWorld({
    zone: (_name, type) => (type === 'A' ? { addresses: [strangerAddress] } : 'silent'),
  });
  await using set = await world.fetch([`http://half-silent.example.com:${stranger.port}/`]);
  assert.equal(set.files.length, 1);
  // The full wait is long here, so that a busy machine does not reach it.
  const started = performance.now();
  await resolveName('half-silent.example.com', { timeoutMs: 120_000, servers: [world.dns.address] });
  assert(performance.now() - started < 30_000);
});

test('an answer with only another name is no answer: the other address family has its full time', async () => {
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  await using world = await makeInputWorld({
    zone: (_name, type) => (type === 'A' ? { addresses: [strangerAddress], delayMs: 700 } : 'alias'),
  });
  await using set = await world.fetch([`http://alias.example.com:${stranger.port}/`]);
  assert.equal(set.files.length, 1);
});

test('nothing waits for a lookup that has ended', async () => {
  await using dns = await startDnsServer(() => ({ addresses: ['8.8.8.8'] }));
  const waiting = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = waiting();
  await resolveName('a.example.com', { timeoutMs: 300_000, servers: [dns.address] });
  // Timers of earlier tests may end or begin meanwhile.
  await eventually(
    async () => waiting(),
    (now) => now <= before,
  );
});

test('without its own name servers, it asks the system’s', async () => {
  // A name that cannot exist: the system's name servers say so, or do not answer.
  await assert.rejects(resolveName('a.invalid', { timeoutMs: 300 }), NameError);
});

test('a query that is lost on its way to the name server is sent once more in time', async () => {
  await using dns = await startDnsServer((_name, _type, nth) =>
    nth === 1 ? 'silent' : { addresses: ['8.8.8.8'] },
  );
  const addresses = await resolveName('a.example.com', { timeoutMs: 3_000, servers: [dns.address] });
  assert.deepEqual(addresses, ['8.8.8.8']);
});

test('names that do not exist, whose servers fail, and whose servers are silent have different errors', async () => {
  await using dns = await startDnsServer((name, type) => {
    const [four, six] = name.split('.')[0]?.split('-') ?? [];
    return (type === 'A' ? four : six) as DnsAnswer; // both are defined below
  });
  // Only silence takes the whole time, so a busy machine has enough for an answer.
  const problemOf = (host: string) =>
    resolveName(`${host}.example.com`, {
      timeoutMs: host.includes('silent') ? 300 : 30_000,
      servers: [dns.address],
    }).catch((error: NameError) => error.problem);
  const problems: Record<string, NameError['problem']> = {
    'nxdomain-alias': 'not_found',
    'alias-alias': 'not_found',
    'nxdomain-nxdomain': 'not_found',
    'nxdomain-servfail': 'server_failed',
    'servfail-nxdomain': 'server_failed',
    'nxdomain-silent': 'too_slow',
    'silent-servfail': 'too_slow',
  };
  for (const [host, problem] of Object.entries(problems)) assert.equal(await problemOf(host), problem, host);
});

test('E30: proxy variables of the environment change nothing', async () => {
  await using canary = await startCanary();
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  const proxy = `http://127.0.0.1:${canary.port}`;
  const guardModule = new URL('../../src/base/guard/guard.ts', import.meta.url).href;
  const script = `
    const { createGuard } = await import(${JSON.stringify(guardModule)});
    const agent = await createGuard({ allowNetworks: ['127.10.0.0/16'] }).agent();
    const { statusCode, body } = await agent.request({ origin: ${JSON.stringify(stranger.origin)}, path: '/', method: 'GET' });
    await body.dump();
    const blocked = await agent.request({ origin: 'http://127.0.0.1:1', path: '/', method: 'GET' }).catch((error) => error.name);
    process.exitCode = statusCode === 200 && blocked === 'GuardError' ? 0 : 1;
    await agent.close();`;
  const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: {
      ...process.env,
      ...Object.fromEntries(variables.map((name) => [name, proxy])),
      NODE_USE_ENV_PROXY: '1',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(canary.hits(), 0);
});
