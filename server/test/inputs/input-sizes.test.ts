import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchLimits } from '../../src/images/inputs/limits.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { responseHead, startRawStranger, startStranger } from './support/strangers.ts';
import { timedUndisturbed } from './support/timed.ts';

test('F9: an endless body is cut off at the cap, with flat memory', async (t) => {
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

test('F10: answers with a wrong length are refused', async () => {
  await using more = await startRawStranger((socket) => {
    socket.write(responseHead('Content-Length: 10\r\n'));
    socket.write(Buffer.concat([onePixelPng, Buffer.alloc(5_000_000)]));
  });
  await using fewer = await startRawStranger((socket) => {
    socket.end(
      Buffer.concat([Buffer.from(responseHead('Content-Length: 100\r\n')), onePixelPng.subarray(0, 5)]),
    );
  });
  await using nonsense = await startRawStranger(
    (socket) => void socket.end(responseHead('Content-Length: -5\r\n')),
  );
  await using huge = await startRawStranger(
    (socket) => void socket.write(responseHead('Content-Length: 99999999999\r\n')),
  );
  await using world = await makeInputWorld();
  assert.equal((await world.ingestFailures([more.origin]))[0]?.code, 'input_not_an_image');
  assert.equal((await world.failures([fewer.origin]))[0]?.code, 'input_unfetchable');
  assert.equal((await world.failures([nonsense.origin]))[0]?.code, 'input_unfetchable');
  const { undisturbedMs } = await timedUndisturbed(async () => {
    assert.equal((await world.failures([huge.origin]))[0]?.code, 'input_too_large');
  });
  assert(undisturbedMs < 3_000, 'what is announced as too large is not waited for');
});

/** A PNG of an exact number of bytes: the rest follows the end of the image, where decoders ignore it. */
const pngOf = (bytes: number) => Buffer.concat([onePixelPng, Buffer.alloc(bytes - onePixelPng.length)]);

test('F11, F12: exactly 40 MB over all inputs is accepted, one byte more is not', async () => {
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
