import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDownloads } from '../../src/upstream/providers/download.ts';
import { kindOfStatus } from '../../src/upstream/providers/failure.ts';
import { durationMs, retryAfterMs } from '../../src/upstream/providers/retry-after.ts';
import { createUpstream } from '../../src/upstream/providers/upstream.ts';
import { startEmulator } from '../emulators/emulator.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { startCanary } from '../inputs/support/canary.ts';
import { startRawStranger } from '../inputs/support/strangers.ts';
import { closing, failureOf, guard } from './requests.ts';

// For all tests of this file together.
const signal = AbortSignal.timeout(240_000);

it('reads the kind of a failure from its status', () => {
  const kinds: [number, string][] = [
    [302, 'bad_response'],
    [400, 'invalid_input'],
    [401, 'auth'],
    [402, 'quota'],
    [403, 'auth'],
    [404, 'model_not_found'],
    [408, 'timeout'],
    [409, 'unavailable'],
    [413, 'invalid_input'],
    [422, 'invalid_input'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [504, 'timeout'],
    [529, 'unavailable'],
  ];
  assert.deepEqual(
    kinds.map(([status]) => [status, kindOfStatus(status)]),
    kinds,
  );
});

it('reads Retry-After in every form, and never as longer than a day', () => {
  const nowMs = Date.parse('2026-11-20T10:00:00Z');
  const after = (value: string) => retryAfterMs(new Map([['retry-after', value]]), nowMs);
  assert.equal(after('30'), 30_000);
  assert.equal(after('0.5'), 500);
  assert.equal(after('Fri, 20 Nov 2026 10:01:00 GMT'), 60_000);
  assert.equal(after('Fri, 20 Nov 2026 09:00:00 GMT'), 0);
  assert.equal(after('999999999'), 86_400_000);
  assert.equal(after('soon'), undefined);
  assert.equal(retryAfterMs(new Map()), undefined);
  assert.equal(durationMs('3.2s'), 3200);
  assert.equal(durationMs('PT3S'), undefined);
});

it('opens an agent again if it could not be opened, and closes without one', async () => {
  await using emulator = await startEmulator([
    { method: 'GET', path: /./, stage: 'any', handle: () => ({ body: 'an answer' }) },
  ]);
  let tries = 0;
  const openAgent = async () => {
    tries += 1;
    if (tries === 2) return guard.serverAgent();
    throw new Error('too many open files');
  };
  const refuse = () => assert.fail('no address is refused');
  await using open = closing({ upstream: createUpstream(guard, [], { openAgent, refuse }) });
  const call = () => open.upstream.call({ url: `${emulator.url}/x`, signal });
  await assert.rejects(call, /too many open files/);
  assert.equal((await call()).status, 200);
  await open.upstream[Symbol.asyncDispose]();
  const failing = assert.rejects(call, /too many open files/);
  await open.upstream[Symbol.asyncDispose]();
  await failing;
});

it('stops reading at the limit', async () => {
  await using emulator = await startEmulator([
    { method: 'GET', path: /./, stage: 'large', handle: () => ({ body: Buffer.alloc(300_000) }) },
  ]);
  await using open = closing({ upstream: createUpstream(guard) });
  const call = { url: `${emulator.url}/x`, signal };
  assert.equal((await open.upstream.call({ ...call, maxBytes: 300_000 })).bytes.length, 300_000);
  const error = await failureOf(open.upstream.call({ ...call, maxBytes: 299_999 }));
  assert.equal(error.kind, 'bad_response');
});

it('accepts unrequested informational answers', async () => {
  const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
  await using stranger = await startRawStranger((socket) => {
    for (const part of [early, early, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}']) socket.write(part);
  });
  await using open = closing({ upstream: createUpstream(guard) });
  const answer = await open.upstream.call({ url: `${stranger.origin}/x`, signal });
  assert.deepEqual([answer.status, answer.json()], [200, {}]);
});

it('follows a few redirects to a result, and no further', async () => {
  const image = await sampleImage({ width: 8, height: 8 });
  await using emulator = await startEmulator([
    { method: 'GET', path: /image/, stage: 'image', handle: () => ({ body: image }) },
    {
      method: 'GET',
      path: /once/,
      stage: 'once',
      handle: () => ({ status: 302, headers: { location: '/image' }, body: '' }),
    },
    {
      method: 'GET',
      path: /round/,
      stage: 'round',
      handle: () => ({ status: 302, headers: { location: '/round' }, body: '' }),
    },
    {
      method: 'GET',
      path: /out/,
      stage: 'out',
      handle: () => ({ status: 302, headers: { location: 'file:///etc/passwd' }, body: '' }),
    },
  ]);
  const upstream = createUpstream(guard);
  await using open = closing({
    upstream,
    downloads: createDownloads(upstream, { baseUrl: emulator.url, guard }),
  });
  const get = (path: string) => open.downloads.image(emulator.url + path, { intervalMs: 1, signal });
  assert.deepEqual(Buffer.from(await get('/once')), image);
  assert.equal((await failureOf(get('/round'))).kind, 'no_image');
  assert.equal((await failureOf(get('/out'))).kind, 'no_image');
  assert.equal(emulator.of('round').length, 4);
});

it('opens no connection for a result link to a local address other than the operator’s', async () => {
  await using canary = await startCanary();
  const upstream = createUpstream(guard);
  const downloads = createDownloads(upstream, { baseUrl: 'http://127.0.0.1:1', guard });
  await using _open = closing({ upstream, downloads });
  for (const host of [
    '127.0.0.1',
    'localhost',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
    '169.254.169.254',
  ]) {
    const link = `http://${host}:${canary.port}/x.png`;
    const error = await failureOf(downloads.image(link, { intervalMs: 1, signal }));
    assert.equal(error.kind, 'no_image', link);
    assert.match(error.detail ?? '', /^the link to the result: The URL does not lead to a public/);
  }
  assert.equal(canary.hits(), 0);
});
