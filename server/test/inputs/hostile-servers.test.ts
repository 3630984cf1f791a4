import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { portOf } from './support/canary.ts';
import { makeAuthority } from './support/certificates.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import {
  responseHead,
  startRawStranger,
  startSecureStranger,
  startStranger,
  strangerAddress,
} from './support/strangers.ts';

test('F1: statuses other than 200 are refused and named', async () => {
  await using stranger = await startStranger((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end(onePixelPng);
  });
  await using world = await makeInputWorld();
  for (const status of [201, 206, 300, 304, 400, 401, 403, 404, 410, 429, 500, 503]) {
    const [failure] = await world.failures([`${stranger.origin}/${status}`]);
    assert.equal(failure?.code, 'input_unfetchable');
    assert.match(failure?.detail ?? '', new RegExp(`status ${status}`));
  }
});

test('F2: an answer without content is refused', async () => {
  await using stranger = await startStranger((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  await using world = await makeInputWorld();
  assert.match((await world.failures([`${stranger.origin}/204`]))[0]?.detail ?? '', /status 204/);
  assert.match((await world.failures([`${stranger.origin}/200`]))[0]?.detail ?? '', /empty file/);
});

test('F4: a refused connection is reported', async () => {
  await using world = await makeInputWorld();
  const closed = createServer().listen(0, strangerAddress);
  await once(closed, 'listening');
  const port = portOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  const [failure] = await world.failures([`http://${strangerAddress}:${port}/`]);
  assert.equal(failure?.code, 'input_unfetchable');
  assert.match(failure?.detail ?? '', /refused the connection/);
});

test('F5: expired, self-signed and foreign certificates are refused; a valid one is not', async () => {
  const authority = makeAuthority();
  await using world = await makeInputWorld({ ca: authority.ca });
  const certificates = {
    'good.example.com': authority.issue('good.example.com'),
    'expired.example.com': authority.issue('expired.example.com', { expired: true }),
    'other.example.com': authority.issue('good.example.com'),
    'self.example.com': makeAuthority().issue('self.example.com'),
  };
  for (const [name, certificate] of Object.entries(certificates)) {
    await using stranger = await startSecureStranger(certificate, (request, response) => {
      if (request.url === '/down') response.writeHead(302, { location: `http://${strangerAddress}/` }).end();
      else response.end(onePixelPng);
    });
    const url = `https://${name}:${stranger.port}`;
    if (name === 'good.example.com') {
      await using set = await world.fetch([`${url}/a.png`]);
      assert.equal(set.files.length, 1);
      const [failure] = await world.failures([`${url}/down`]);
      assert.equal(failure?.code, 'input_blocked', 'E22: a redirect from https to http is refused');
      assert.match(failure?.detail ?? '', /https to http/);
      continue;
    }
    const [failure] = await world.failures([url]);
    assert.equal(failure?.code, 'input_unfetchable', name);
    assert.match(failure?.detail ?? '', /secure connection/, name);
  }
});

test('F13: a compressed answer is refused without being unpacked', async () => {
  const bomb = gzipSync(Buffer.concat([onePixelPng, Buffer.alloc(100_000_000)]));
  await using stranger = await startStranger((request, response) => {
    assert.equal(request.headers['accept-encoding'], 'identity');
    response.writeHead(200, { 'content-encoding': request.url?.slice(1) }).end(bomb);
  });
  await using world = await makeInputWorld();
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity,%20gzip']) {
    const [failure] = await world.failures([`${stranger.origin}/${encoding}`]);
    assert.equal(failure?.code, 'input_unfetchable', encoding);
    assert.match(failure?.detail ?? '', /compressed/, encoding);
  }
});

test('F15: headers of more than 16 KB are refused', async () => {
  await using stranger = await startRawStranger((socket) => {
    socket.on('error', () => undefined);
    socket.write(responseHead(`${`x-filler: ${'a'.repeat(1000)}\r\n`.repeat(20)}`));
    socket.end(onePixelPng);
  });
  await using world = await makeInputWorld();
  const [failure] = await world.failures([stranger.origin]);
  assert.equal(failure?.code, 'input_unfetchable');
  assert.match(failure?.detail ?? '', /headers/);
});

test('F16, F17: what the bytes say counts, not the content type', async () => {
  const files: Record<string, Buffer> = {
    png: onePixelPng,
    html: Buffer.from('<!doctype html><html><body>Sign in</body></html>'),
    pdf: Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj'),
    zip: Buffer.from('PK\x03\x04 and what follows in such a file'),
    exe: Buffer.from('MZ\x90\x00\x03 and what follows in such a file'),
    text: Buffer.from('hello'),
    short: Buffer.from([0x89]),
  };
  await using stranger = await startStranger((request, response) => {
    const name = request.url?.slice(1) ?? '';
    response.writeHead(200, { 'content-type': name === 'png' ? 'text/html' : 'image/png' }).end(files[name]);
  });
  await using world = await makeInputWorld();
  await using good = await world.fetch([`${stranger.origin}/png`]);
  assert.equal(good.files[0]?.mediaType, 'image/png');
  for (const name of Object.keys(files).filter((other) => other !== 'png')) {
    assert.equal((await world.failures([`${stranger.origin}/${name}`]))[0]?.code, 'input_not_an_image', name);
  }
});

test('a client that leaves ends its downloads, which throw its abort reason', async () => {
  const client = new AbortController();
  await using stranger = await startRawStranger(() => client.abort(new Error('the client has gone')));
  await using world = await makeInputWorld();
  await assert.rejects(world.fetch([stranger.origin], client.signal), /the client has gone/);
  await assert.rejects(world.fetch([stranger.origin], client.signal), /the client has gone/);
});

test('F33: of thirteen good and one bad, only the bad one is named and nothing is kept', async () => {
  await using stranger = await startStranger((request, response) => {
    response.writeHead(request.url === '/5' ? 404 : 200).end(onePixelPng);
  });
  await using world = await makeInputWorld();
  const failures = await world.failures(
    Array.from({ length: 14 }, (_, index) => `${stranger.origin}/${index}`),
  );
  assert.deepEqual(
    failures.map(({ pointer, code }) => ({ pointer, code })),
    [{ pointer: '/input_images_urls/5', code: 'input_unfetchable' }],
  );
});

test('F35: a hundred early hints are accepted and leave nothing behind', async () => {
  await using stranger = await startRawStranger((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100));
    socket.end(
      Buffer.concat([Buffer.from(responseHead(`Content-Length: ${onePixelPng.length}\r\n`)), onePixelPng]),
    );
  });
  await using world = await makeInputWorld();
  await using set = await world.fetch([stranger.origin]);
  assert.equal(set.files[0]?.bytes, onePixelPng.length);
});

test('several informational answers are skipped, including an unrequested `100 Continue`', async () => {
  const before =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  const answer = Buffer.concat([
    Buffer.from(before + responseHead(`Content-Length: ${onePixelPng.length}\r\n`)),
    onePixelPng,
  ]);
  await using atOnce = await startRawStranger((socket) => socket.end(answer));
  await using inPieces = await startRawStranger(async (socket) => {
    socket.setNoDelay(true);
    for (const byte of answer) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
    socket.end();
  });
  await using world = await makeInputWorld();
  await using set = await world.fetch([atOnce.origin, inPieces.origin]);
  for (const { bytes } of set.files) assert.equal(bytes, onePixelPng.length);
});
