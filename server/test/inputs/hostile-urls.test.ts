import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';
import { type Canary, countSockets, startCanary } from './support/canary.ts';
import type { Zone } from './support/dns-server.ts';
import { onePixelPng } from './support/images.ts';
import { type InputWorld, makeInputWorld } from './support/input-world.ts';
import { type Stranger, startStranger, strangerAddress } from './support/strangers.ts';

let canary: Canary;
let stranger: Stranger;
let world: InputWorld;

const zone: Zone = (name, type, nth) => {
  const a = (...addresses: string[]) => ({ addresses });
  if (name === 'localhost' || name.endsWith('.localhost')) return a('127.0.0.1', '::1');
  if (name === 'half-loopback.example.com') return type === 'A' ? a(strangerAddress) : a('::1');
  if (name === 'two-answers.example.com') return type === 'A' ? a(strangerAddress, '127.0.0.1') : a();
  if (name === 'rebind.example.com') return type === 'A' ? a(nth === 1 ? strangerAddress : '127.0.0.1') : a();
  if (name === 'rebound.example.com') return type === 'A' ? a('127.0.0.1') : a();
  const embedded = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.nip\.io$/.exec(name);
  if (embedded !== null) return type === 'A' ? a(embedded.slice(1).join('.')) : a();
  if (name === 'mapped.example.com') return type === 'AAAA' ? a('::ffff:7f00:1') : a();
  if (name === 'compatible.example.com') return type === 'AAAA' ? a('::7f00:1') : a();
  return type === 'A' ? a(strangerAddress) : a();
};

before(async () => {
  canary = await startCanary();
  stranger = await startStranger((request, response) => {
    const url = new URL(request.url ?? '/', 'http://stranger');
    const to = url.searchParams.get('to');
    if (to !== null) {
      response.writeHead(Number(url.searchParams.get('code') ?? 302), { location: to }).end();
      return;
    }
    const headers = url.pathname === '/refresh' ? { refresh: `0; url=http://127.0.0.1:${canary.port}/` } : {};
    response
      .writeHead(200, headers)
      .end(url.pathname === '/refresh' ? `<meta http-equiv="refresh">` : onePixelPng);
  });
  world = await makeInputWorld({ zone });
});

after(async () => {
  await world[Symbol.asyncDispose]();
  await stranger[Symbol.asyncDispose]();
  assert.equal(canary.hits(), 0, 'something reached a forbidden address');
  await canary[Symbol.asyncDispose]();
});

/** The URL as given, and again with the port of the canary, which would notice a breach. */
function atBothPorts(url: string): string[] {
  const [, scheme, host, rest] = /^(https?:\/\/)([^/]*)(.*)$/.exec(url) ?? [];
  return [url, `${scheme}${host}:${canary.port}${rest}`];
}

const blockedRows: Record<string, string[]> = {
  'E1: loopback addresses are refused': ['http://127.0.0.1/', 'http://127.127.127.127/'],
  'E2: short and zero forms of loopback are refused': ['http://127.1/', 'http://0/', 'http://0.0.0.0/'],
  'E3: decimal, hexadecimal and octal forms of loopback are refused': [
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://0177.0.0.1/',
  ],
  'E5: names of the own machine are refused in every spelling': [
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://loc\u00adalhost/',
    'http://local\u200bhost/',
    'http://ip6-localhost/',
    'http://a.localhost/',
    'http://localhost.localdomain/',
  ],
  'E6: IPv6 loopback and unspecified addresses are refused': [
    'http://[::1]/',
    'http://[::]/',
    'http://[0000::1]/',
  ],
  'E7: IPv4-mapped IPv6 addresses are refused': [
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  ],
  'E8: IPv4-compatible IPv6 addresses are refused': ['http://[::7f00:1]/', 'http://[::a9fe:a9fe]/'],
  'E9: NAT64 addresses are refused': ['http://[64:ff9b::a9fe:a9fe]/', 'http://[64:ff9b:1::a9fe:a9fe]/'],
  'E11: IPv6 addresses that are not global are refused': [
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[4000::1]/',
  ],
  'E12: the metadata address is refused in every spelling': [
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://0xA9.0xFE.0xA9.0xFE/',
  ],
  'E13: metadata names and the credentials address of containers are refused': [
    'http://169.254.170.2/v2/credentials',
    'http://metadata.google.internal/',
    'http://metadata/',
  ],
  'E14: metadata addresses of other clouds are refused': [
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
  ],
  'E15: private, shared, test, multicast and broadcast addresses are refused': [
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://192.0.2.2/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ],
};

for (const [guarantee, urls] of Object.entries(blockedRows)) {
  test(guarantee, async () => {
    using sockets = countSockets();
    for (const url of urls.flatMap(atBothPorts)) {
      const [failure, ...others] = await world.failures([url]);
      assert.equal(failure?.code, 'input_blocked', url);
      assert.equal(failure?.pointer, '/input_images_urls/0');
      assert.doesNotMatch(failure?.detail ?? '', /\d+\.\d+\.\d+|::|169|127/, 'the detail names an address');
      assert.equal(others.length, 0);
      assert.equal(world.guard.checkUrl(url).ok, false, `${url} passes the check before any lookup`);
    }
    assert.equal(sockets.count(), 0, 'a connection was tried');
  });
}

test('every address of this machine is refused', async () => {
  using sockets = countSockets();
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  assert(entries.length > 0);
  for (const { address, family } of entries) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    const [failure] = await world.failures([`http://${host}:${canary.port}/`]);
    assert.equal(failure?.code, 'input_blocked', address);
  }
  assert.equal(sockets.count(), 0);
});

test('E17: a URL with credentials is refused, whatever its host', async () => {
  for (const url of [
    `http://user:pass@example.com/a.png`,
    'http://user@example.com/',
    'http://:pass@example.com/',
  ]) {
    const [failure] = await world.failures([url]);
    assert.equal(failure?.code, 'input_blocked', url);
    assert.match(failure?.detail ?? '', /password/);
  }
});

test('E18: a name is refused if any of its addresses is not public', async () => {
  using sockets = countSockets();
  const names = [
    '169.254.169.254.nip.io',
    '127.0.0.1.nip.io',
    '10.0.0.1.nip.io',
    'half-loopback.example.com',
    'two-answers.example.com',
    'mapped.example.com',
    'compatible.example.com',
  ];
  for (const url of names.flatMap((name) => atBothPorts(`http://${name}/`))) {
    assert.equal((await world.failures([url]))[0]?.code, 'input_blocked', url);
  }
  assert.equal(sockets.count(), 0, 'a connection was tried');
});

test('E19: a name that changes to loopback after the check is not followed there', async () => {
  const url = `http://rebind.example.com:${stranger.port}/a.png`;
  await using first = await world.fetch([url]);
  assert.equal(first.files.length, 1);
  assert.equal(
    world.dns.questions('rebind.example.com'),
    2,
    'one A and one AAAA question for one connection',
  );
  assert.equal((await world.failures([url]))[0]?.code, 'input_blocked');
  const redirected = `${stranger.origin}/?to=http://rebound.example.com:${canary.port}/`;
  assert.equal((await world.failures([redirected]))[0]?.code, 'input_blocked');
});

test('E21: every redirect is checked like the first URL', async () => {
  const targets = [
    `http://127.0.0.1:${canary.port}/`,
    `//127.0.0.1:${canary.port}/`,
    `http://[::1]:${canary.port}/`,
    `http://localhost:${canary.port}/`,
    `http://user:pass@${strangerAddress}:${stranger.port}/`,
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    `data:image/png;base64,${onePixelPng.toString('base64')}`,
  ];
  for (const code of [301, 302, 303, 307, 308]) {
    for (const target of targets) {
      const [failure] = await world.failures([
        `${stranger.origin}/?code=${code}&to=${encodeURIComponent(target)}`,
      ]);
      assert.equal(failure?.code, 'input_blocked', `${code} ${target}`);
    }
    await using good = await world.fetch([
      `${stranger.origin}/deep/?code=${code}&to=${encodeURIComponent('../a.png')}`,
    ]);
    assert.equal(good.files[0]?.mediaType, 'image/png', 'a relative redirect is followed');
  }
});

test('E22: three redirects are followed, a chain of four and a loop are refused', async () => {
  const chain = (length: number): string =>
    length === 0
      ? `${stranger.origin}/a.png`
      : `${stranger.origin}/?to=${encodeURIComponent(chain(length - 1))}`;
  await using three = await world.fetch([chain(3)]);
  assert.equal(three.files.length, 1);
  assert.equal((await world.failures([chain(4)]))[0]?.code, 'input_unfetchable');
  await using loop = await startStranger((request, response) => {
    response.writeHead(302, { location: request.url }).end();
  });
  const [failure] = await world.failures([`${loop.origin}/loop`]);
  assert.equal(failure?.code, 'input_unfetchable');
  assert.match(failure?.detail ?? '', /redirected more than 3 times/);
});

test('E23: Refresh headers and meta elements are not followed', async () => {
  assert.equal((await world.failures([`${stranger.origin}/refresh`]))[0]?.code, 'input_not_an_image');
});

test('E24: ports of other services are refused, and so are invalid ports', async () => {
  await using strict = await makeInputWorld({ zone, allowNetworks: [] });
  for (const port of [22, 25, 6379, 5432, 11211, 0]) {
    for (const host of ['example.com', '93.184.215.14']) {
      const url = `http://${host}:${port}/`;
      assert.equal(strict.guard.checkUrl(url).ok, false, url);
      assert.equal((await strict.failures([url]))[0]?.code, 'input_blocked', url);
    }
  }
  assert.equal((await strict.failures(['http://example.com:65536/']))[0]?.code, 'input_blocked');
  for (const port of ['', ':80', ':443', ':3000', ':8000', ':8080', ':8443']) {
    assert.equal(strict.guard.checkUrl(`http://example.com${port}/`).ok, true, port);
  }
});

test('E26: schemes other than http and https are refused', async () => {
  const urls = [
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'jar:http://example.com!/a',
    'dict://127.0.0.1/',
    'data:image/png;base64,AA==',
    'blob:http://example.com/1',
    'HTTP://EXAMPLE.COM/a.png',
    ' http://example.com/',
    '\thttp://example.com/',
    'http://example.com/\n',
    'http:\\\\127.0.0.1\\',
    'http://exa\tmple.com/',
    'http://example.com/\u007f',
    'http://',
    'http://[::1',
    '',
  ];
  for (const url of urls)
    assert.equal((await world.failures([url]))[0]?.code, 'input_blocked', JSON.stringify(url));
});

test('E28: a URL of 100,000 characters is refused', async () => {
  const [failure] = await world.failures([`http://example.com/${'a'.repeat(100_000)}`]);
  assert.equal(failure?.code, 'input_blocked');
  assert.match(failure?.detail ?? '', /longer than 8,192/);
});

test('E29: our own addresses are refused even if their network is open', async () => {
  let served = 0;
  await using own = await startStranger((_request, response) => {
    served++;
    response.end(onePixelPng);
  });
  for (const address of [strangerAddress, '0.0.0.0', '::']) {
    const ownAddresses = () => [{ address, port: own.port }];
    await using guarded = await makeInputWorld({ zone, ownAddresses });
    for (const host of ['public-name.example.com', strangerAddress]) {
      const [failure] = await guarded.failures([`http://${host}:${own.port}/`]);
      assert.equal(failure?.code, 'input_blocked', `${host} for ${address}`);
    }
    await using other = await guarded.fetch([`${stranger.origin}/a.png`]);
    assert.equal(other.files.length, 1, 'other ports of the address stay open');
  }
  assert.equal(served, 0);
});
