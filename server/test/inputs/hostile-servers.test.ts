import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fetchLimits } from '../../src/inputs/limits.ts';
import { portOf } from './support/canary.ts';
import { makeAuthority } from './support/certificates.ts';
import type { Zone } from './support/dns-server.ts';
import { makeInputWorld } from './support/input-world.ts';
import { onePixelPng } from './support/pictures.ts';
import {
  startRawStranger,
  startSecureStranger,
  startStranger,
  strangerAddress,
} from './support/strangers.ts';

const head = (extra: string) => `HTTP/1.1 200 OK\r\n${extra}\r\n`;

test('F1: statuses other than 200 are refused and told', async () => {
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

test('F4: a refused connection is told', async () => {
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

test('F9: an endless body ends when it passes the cap, with flat memory', async (t) => {
  await using endless = await startStranger((_request, response) => {
    response.writeHead(200);
    response.write(onePixelPng);
    const chunk = Buffer.alloc(65_536);
    const push = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', push);
    push();
  });
  await using world = await makeInputWorld();
  const before = process.memoryUsage().rss;
  const failures = await world.failures([endless.origin]);
  const grewMb = Math.round((process.memoryUsage().rss - before) / 1e6);
  t.diagnostic(`memory grew ${grewMb} MB`);
  assert.deepEqual(
    failures.map(({ pointer, code }) => ({ pointer, code })),
    [{ pointer: '/input_images_urls/0', code: 'input_too_large' }],
  );
  assert(grewMb < 150, `${grewMb} MB`);
});

test('F10: lengths that are not kept are refused', async () => {
  await using more = await startRawStranger((socket) => {
    socket.write(head('Content-Length: 10\r\n'));
    socket.write(Buffer.concat([onePixelPng, Buffer.alloc(5_000_000)]));
  });
  await using fewer = await startRawStranger((socket) => {
    socket.end(Buffer.concat([Buffer.from(head('Content-Length: 100\r\n')), onePixelPng.subarray(0, 5)]));
  });
  await using nonsense = await startRawStranger((socket) => void socket.end(head('Content-Length: -5\r\n')));
  await using huge = await startRawStranger(
    (socket) => void socket.write(head('Content-Length: 99999999999\r\n')),
  );
  await using world = await makeInputWorld();
  assert.equal((await world.ingestFailures([more.origin]))[0]?.code, 'input_not_an_image');
  assert.equal((await world.failures([fewer.origin]))[0]?.code, 'input_unfetchable');
  assert.equal((await world.failures([nonsense.origin]))[0]?.code, 'input_unfetchable');
  const tookMs = await timed(async () => {
    assert.equal((await world.failures([huge.origin]))[0]?.code, 'input_too_large');
  });
  assert(tookMs < 3_000, 'what is announced as too large is not waited for');
});

/** A PNG of an exact number of bytes: the rest follows the end of the image, where decoders ignore it. */
const pngOf = (bytes: number) => Buffer.concat([onePixelPng, Buffer.alloc(bytes - onePixelPng.length)]);

test('F11, F12: exactly 40 MB over all inputs is taken, one byte more is not', async () => {
  const share = Math.floor(fetchLimits.totalBytes / 14);
  const last = fetchLimits.totalBytes - 13 * share;
  await using stranger = await startStranger((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stranger');
    const body = pngOf(Number(pathname.slice(1)));
    if (!searchParams.has('chunked')) response.setHeader('content-length', body.length);
    response.write(body.subarray(0, 100));
    response.end(body.subarray(100));
  });
  await using world = await makeInputWorld();
  for (const query of ['', '&chunked']) {
    const urls = (lastBytes: number) => [
      ...Array.from({ length: 13 }, (_, index) => `${stranger.origin}/${share}?n=${index}${query}`),
      `${stranger.origin}/${lastBytes}?n=13${query}`,
    ];
    await using set = await world.fetch(urls(last));
    assert.equal(
      set.files.reduce((sum, file) => sum + file.bytes, 0),
      fetchLimits.totalBytes,
    );
    const failures = await world.failures(urls(last + 1));
    assert.deepEqual(
      failures.map(({ pointer, code }) => ({ pointer, code })),
      [{ pointer: '/input_images_urls', code: 'inputs_too_large' }],
    );
  }
  await using one = await world.fetch([`${stranger.origin}/${fetchLimits.totalBytes}`]);
  assert.equal(one.files[0]?.bytes, fetchLimits.totalBytes);
  const [failure] = await world.failures([`${stranger.origin}/${fetchLimits.totalBytes + 1}?chunked`]);
  assert.deepEqual([failure?.pointer, failure?.code], ['/input_images_urls/0', 'input_too_large']);
});

test('C28: the same URL fourteen times is fetched once and counted fourteen times', async () => {
  let requests = 0;
  await using stranger = await startStranger((request, response) => {
    requests++;
    response.end(pngOf(Number(request.url?.slice(1))));
  });
  await using world = await makeInputWorld({ limits: { totalBytes: 14_000 } });
  const fourteen = (bytes: number) => Array.from({ length: 14 }, () => `${stranger.origin}/${bytes}`);
  await using set = await world.fetch(fourteen(1000));
  assert.equal(requests, 1);
  assert.equal(new Set(set.files.map((file) => file.path)).size, 1);
  assert.equal((await world.failures(fourteen(1001)))[0]?.code, 'inputs_too_large');
  const missing = await world.failures(Array.from({ length: 3 }, () => 'http://127.0.0.1/'));
  assert.deepEqual(
    missing.map((failure) => failure.pointer),
    ['/input_images_urls/0', '/input_images_urls/1', '/input_images_urls/2'],
  );
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
    socket.write(head(`${`x-filler: ${'a'.repeat(1000)}\r\n`.repeat(20)}`));
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

test('a client that goes away ends its downloads, and its reason is what is thrown', async () => {
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

test('F35: a hundred early hints are taken and leave nothing', async () => {
  await using stranger = await startRawStranger((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100));
    socket.end(Buffer.concat([Buffer.from(head(`Content-Length: ${onePixelPng.length}\r\n`)), onePixelPng]));
  });
  await using world = await makeInputWorld();
  await using set = await world.fetch([stranger.origin]);
  assert.equal(set.files[0]?.bytes, onePixelPng.length);
});

test('several informational answers are passed over, a `100 Continue` that nobody asked for among them', async () => {
  const before =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  const answer = Buffer.concat([
    Buffer.from(before + head(`Content-Length: ${onePixelPng.length}\r\n`)),
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

// Side by side: they wait, and do little else.
describe('deadlines', { concurrency: true }, () => {
  test('F3: names that do not exist, fail or get no answer are told apart', async () => {
    const zone: Zone = (name) => {
      if (name.startsWith('none')) return 'nxdomain';
      if (name.startsWith('fails')) return 'servfail';
      if (name.startsWith('empty')) return { addresses: [] };
      return 'silent';
    };
    await using world = await makeInputWorld({ zone });
    const started = performance.now();
    const failures = await world.failures(
      ['none', 'fails', 'empty', 'silent'].map((name) => `http://${name}.example.com/a.png`),
    );
    const tookMs = performance.now() - started;
    const patterns = [
      /no host named none\.example\.com/,
      /report a failure/,
      /no host named/,
      /do not answer/,
    ];
    for (const [index, pattern] of patterns.entries()) {
      assert.equal(failures[index]?.code, 'input_unfetchable');
      assert.match(failures[index]?.detail ?? '', pattern);
    }
    assertWithinFifth(tookMs, 4_000);
  });

  test('F4: a connection that nobody accepts ends at the deadline within a fifth', async (t) => {
    // A stopped process with a full queue drops further connection requests, as a firewall does.
    const script = `require('net').createServer().listen({ port: 0, host: '${strangerAddress}', backlog: 1 }, function () {
    process.stdout.write(String(this.address().port));
  })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    const port = Number(printed);
    const fillers = Array.from({ length: 8 }, () =>
      connect(port, strangerAddress).on('error', () => undefined),
    );
    await once(fillers[0] ?? assert.fail(), 'connect');
    try {
      await using world = await makeInputWorld({ limits: { answerMs: 2_000 } });
      const tookMs = await timed(async () => {
        const [failure] = await world.failures([`http://${strangerAddress}:${port}/`]);
        assert.equal(failure?.code, 'input_unfetchable');
        t.diagnostic(failure?.detail ?? '');
      });
      assertWithinFifth(tookMs, 2_000);
    } finally {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
    }
  });

  test('F6, F7, F8: silent, stalling and dripping servers end at their deadlines within a fifth', async () => {
    await using silent = await startRawStranger(() => undefined);
    await using dripsHeaders = await startRawStranger((socket) => {
      const timer = setInterval(() => socket.write('x'), 100);
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      socket.once('close', () => clearInterval(timer));
    });
    await using stalls = await startRawStranger((socket) => void socket.write(head('')));
    await using drips = await startRawStranger((socket) => {
      socket.write(head(''));
      socket.write(onePixelPng.subarray(0, 20));
      const timer = setInterval(() => socket.write('x'), 100);
      socket.once('close', () => clearInterval(timer));
    });
    await using world = await makeInputWorld({ limits: quick });
    const cases = [
      { origin: silent.origin, deadlineMs: quick.answerMs, says: /did not answer within 2 s/ },
      { origin: dripsHeaders.origin, deadlineMs: quick.answerMs, says: /did not answer within 2 s/ },
      { origin: stalls.origin, deadlineMs: quick.silenceMs, says: /stopped sending for 2 s/ },
      { origin: drips.origin, deadlineMs: quick.totalMs, says: /4 s for all inputs together/ },
    ];
    await Promise.all(
      cases.map(async ({ origin, deadlineMs, says }) => {
        const tookMs = await timed(async () => {
          const [failure] = await world.failures([origin]);
          assert.equal(failure?.code, 'input_unfetchable');
          assert.match(failure?.detail ?? '', says);
        });
        assertWithinFifth(tookMs, deadlineMs);
      }),
    );
  });

  test('the deadlines of production hold within a fifth: 5 s for an answer, 20 s in all', async (t) => {
    await using silent = await startRawStranger(() => undefined);
    await using drips = await startRawStranger((socket) => {
      socket.write(head(''));
      socket.write(onePixelPng.subarray(0, 20));
      const timer = setInterval(() => socket.write('x'), 400);
      socket.once('close', () => clearInterval(timer));
    });
    await using world = await makeInputWorld();
    const [answerMs, totalMs] = await Promise.all([
      timed(() => world.failures([silent.origin])),
      timed(() => world.failures([drips.origin, silent.origin])),
    ]);
    t.diagnostic(`answer ${Math.round(answerMs)} ms, total ${Math.round(totalMs)} ms`);
    assertWithinFifth(answerMs, fetchLimits.answerMs);
    assertWithinFifth(totalMs, fetchLimits.totalMs);
  });
});

/** Runs a fetch that must end at a deadline and says how long it took. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function assertWithinFifth(tookMs: number, deadlineMs: number): void {
  // Timers may fire a little before their time.
  assert(
    tookMs >= deadlineMs * 0.98 && tookMs <= deadlineMs * 1.2,
    `${Math.round(tookMs)} ms for a deadline of ${deadlineMs} ms`,
  );
}

const quick = { totalMs: 4_000, answerMs: 2_000, silenceMs: 2_000 };
