import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const allowed = { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' };

/** A server of images: `/<width>x<height>.png`. */
async function serveImages() {
  const server = createServer((request, response) => {
    const [, width, height] = /^\/(\d+)x(\d+)\.png$/.exec(request.url ?? '') ?? [];
    if (!width || !height) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'image/png' }).end(plainPng(Number(width), Number(height)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a job from URLs gets its inputs in order, decoded, and auto takes the ratio of the first', async () => {
  await using images = await serveImages();
  await using world = await openWorld({ env: allowed });
  const jobId = await world.create('/nb2/url-generations', {
    aspect_ratio: 'auto',
    input_images_urls: [`${images.url}/320x180.png`, `${images.url}/64x64.png`, `${images.url}/320x180.png`],
  });
  const job = await world.finished(jobId);
  assert.equal(job.status, 'done');
  assert.equal(job.aspect_ratio, '16:9');
  const inputs = world.provider.requests[0]?.request.inputs ?? [];
  assert.deepEqual(
    inputs.map(({ width, height }) => `${width}x${height}`),
    ['320x180', '64x64', '320x180'],
  );
});

test('the result of one job is an input of another, without a connection to ourselves', async () => {
  await using world = await openWorld();
  const first = await world.finished(await world.create());
  const { image_url: url } = first.result as { image_url: string };
  const second = await world.finished(
    await world.create('/nb2/url-generations', { input_images_urls: [url] }),
  );
  assert.equal(second.status, 'done');
  assert.equal(world.provider.requests[1]?.request.inputs[0]?.width, 1024);
});

test('a changed link of our own is refused like any private address', async () => {
  await using world = await openWorld();
  const first = await world.finished(await world.create());
  const { image_url: url } = first.result as { image_url: string };
  const reply = await world.send('POST', '/nb2/url-generations', {
    body: {
      prompt: 'a',
      aspect_ratio: '1:1',
      input_images_urls: [url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    },
  });
  assert.equal(reply.status, 422);
  assert.deepEqual(
    (reply.body.errors as { code: string }[]).map(({ code }) => code),
    ['input_blocked'],
  );
});
