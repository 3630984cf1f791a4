import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSockets, startCanary } from './support/canary.ts';
import type { Zone } from './support/dns-server.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startStranger, strangerAddress } from './support/strangers.ts';

type Bytes = readonly [number, number, number, number];

const targets: readonly Bytes[] = [
  [127, 0, 0, 1],
  [127, 255, 255, 254],
  [0, 0, 0, 0],
  [10, 1, 2, 3],
  [172, 31, 255, 254],
  [192, 168, 0, 1],
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
];

const hex = (value: number) => `0x${value.toString(16)}`;
const octal = (value: number) => `0${value.toString(8)}`;
const whole = ([a, b, c, d]: Bytes) => ((a * 256 + b) * 256 + c) * 256 + d;
const group = (high: number, low: number) => (high * 256 + low).toString(16);
const tail = ([a, b, c, d]: Bytes) => `${group(a, b)}:${group(c, d)}`;
const shifted = (text: string, base: number) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(base + Number(digit)));

/** Ways to write an IPv4 address as the host of a URL, each understood by some parser. */
const encodings: Record<string, (bytes: Bytes) => string> = {
  dotted: (bytes) => bytes.join('.'),
  decimal: (bytes) => String(whole(bytes)),
  hexadecimal: (bytes) => hex(whole(bytes)),
  octal: (bytes) => octal(whole(bytes)),
  'dotted hexadecimal': (bytes) => bytes.map(hex).join('.'),
  'dotted octal': (bytes) => bytes.map(octal).join('.'),
  'padded octal': (bytes) => bytes.map((byte) => `000${octal(byte)}`).join('.'),
  mixed: ([a, b, c, d]) => `${hex(a)}.${b}.${octal(c)}.${d}`,
  'two parts': ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'with a final dot': (bytes) => `${bytes.join('.')}.`,
  'percent-encoded': (bytes) => bytes.join('.').replace(/\d/g, (digit) => `%3${digit}`),
  'full-width digits': (bytes) => shifted(bytes.join('.'), 0xff10),
  'mathematical digits': (bytes) => shifted(bytes.join('.'), 0x1d7ce),
  'ideographic dots': (bytes) => bytes.join('。'),
  'soft hyphens': (bytes) => bytes.join('.\u00ad'),
  mapped: (bytes) => `[::ffff:${bytes.join('.')}]`,
  'mapped, in groups': (bytes) => `[0:0:0:0:0:FFFF:${tail(bytes)}]`,
  compatible: (bytes) => `[::${bytes.join('.')}]`,
  NAT64: (bytes) => `[64:ff9b::${bytes.join('.')}]`,
  'local NAT64': (bytes) => `[64:ff9b:1::${tail(bytes)}]`,
  '6to4': (bytes) => `[2002:${tail(bytes)}::1]`,
  Teredo: (bytes) => `[2001:0:${tail(bytes)}::1]`,
};

/** `a-…` names resolve to the address written in them; `flip-…` names do so from the second query on. */
const zone: Zone = (name, type, nth) => {
  if (type === 'AAAA') return { addresses: [] };
  const [, kind, written] = /^(a|flip)-(\d+-\d+-\d+-\d+)(?:-\d+)?\.example\.com$/.exec(name) ?? [];
  const address = written?.replaceAll('-', '.') ?? strangerAddress;
  return { addresses: [kind === 'flip' && nth === 1 ? strangerAddress : address] };
};

test('no spelling, name, redirect or rebinding reaches a forbidden address, over more than 300 URLs', async () => {
  await using canary = await startCanary();
  await using stranger = await startStranger((request, response) => {
    const to = new URL(request.url ?? '/', 'http://stranger').searchParams.get('to');
    if (to === null) response.end(onePixelPng);
    // Writes UTF-8 into a header without escaping it, as some servers do.
    else response.writeHead(307, { location: Buffer.from(to).toString('latin1') }).end();
  });
  await using world = await makeInputWorld({ zone });
  const behind = (depth: number, url: string): string =>
    depth === 0 ? url : `${stranger.origin}/?to=${encodeURIComponent(behind(depth - 1, url))}`;

  let cases = 0;
  async function mustBeBlocked(url: string, hops: number): Promise<void> {
    using sockets = countSockets();
    const [failure] = await world.failures([url]);
    assert.equal(failure?.code, 'input_blocked', url);
    assert(sockets.count() <= hops, `${sockets.count()} sockets for ${url}`);
    assert.equal(canary.hits(), 0, url);
    cases++;
  }

  for (const bytes of targets) {
    for (const encode of Object.values(encodings)) {
      const url = `http://${encode(bytes)}:${canary.port}/`;
      await mustBeBlocked(url, 0);
      await mustBeBlocked(behind(1 + (cases % 3), url), 3);
    }
    const name = `a-${bytes.join('-')}.example.com`;
    for (const depth of [0, 1, 2, 3])
      await mustBeBlocked(behind(depth, `http://${name}:${canary.port}/`), depth);
    for (const depth of [0, 1, 2, 3]) {
      const url = `http://flip-${bytes.join('-')}-${depth}.example.com:${stranger.port}/`;
      await using _ = await world.fetch([behind(depth, url)]);
      await mustBeBlocked(behind(depth, url.replace(`:${stranger.port}`, `:${canary.port}`)), depth);
    }
  }
  assert(cases >= 300, `only ${cases} cases`);
  assert.equal(canary.hits(), 0);
});

test('50 public-looking URLs that lead to an open network are all fetched', async () => {
  const hosts = [
    'example.com',
    'EXAMPLE.org',
    'cdn.example.net.',
    'xn--bcher-kva.example',
    'bücher.example',
    'a.b.c.d.e.example',
  ];
  const more = [
    'img-1.example.com',
    '1.example.com',
    '127.example.com',
    '0x7f.example.com',
    'localhost.example.com',
  ];
  const names = [
    ...hosts,
    ...more,
    'metadata.example.com',
    'my_bucket.s3.example.com',
    strangerAddress,
    '127.10.1',
    '0x7f0a0001',
  ];
  const paths = ['/a.png', '/deep/path/%20x.png?w=1&h=2#part', '/?url=http://127.0.0.1/'];
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  await using world = await makeInputWorld({ zone });
  const urls = names.flatMap((name) => paths.map((path) => `http://${name}:${stranger.port}${path}`));
  urls.push(
    `http://127.10.0.1:${stranger.port}`,
    `http://example.com:${stranger.port}?x`,
    `http://example.com:0${stranger.port}/`,
  );
  assert(urls.length >= 50, `only ${urls.length} URLs`);
  for (let start = 0; start < urls.length; start += 14) {
    const some = urls.slice(start, start + 14);
    await using set = await world.fetch(some);
    assert.deepEqual(
      set.files.map((file) => file.bytes),
      some.map(() => onePixelPng.length),
    );
  }
});
