import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { assertProblem } from '../http/support/refusal.ts';
import { expire } from '../world/expire.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';

const allowed = { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' };

/** An image server: `/<width>x<height>.png`. */
async function serveImages() {
  let sent = 0;
  const server = createServer((request, response) => {
    const [, width, height] = /^\/(\d+)x(\d+)\.png$/.exec(request.url ?? '') ?? [];
    if (!width || !height) return response.writeHead(404).end();
    response.on('finish', () => {
      sent += 1;
      server.emit('sent');
    });
    response.writeHead(200, { 'content-type': 'image/png' }).end(plainPng(Number(width), Number(height)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when this many images have been sent. */
    async sent(count: number) {
      while (sent < count) await once(server, 'sent');
    },
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

test('a flood of one account’s inputs does not delay another’s', async () => {
  await using images = await serveImages();
  await using world = await openWorld({ env: allowed, worker: false });
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const answered: string[] = [];
  const post = async (name: string, key: string, input_images_urls: string[]) => {
    const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls };
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await world.send('POST', '/nb2/url-generations', { body, headers });
    assert.equal(status, 202);
    answered.push(name);
  };
  // Quick to download and slow to decode.
  const large = Array.from({ length: 14 }, (_, index) => `${images.url}/${3_000 + index}x3000.png`);
  const first = post('first of the flood', world.key, large);
  await images.sent(14);
  const second = post('second of the flood', world.key, large);
  await images.sent(28);
  await post('other', other.key, [`${images.url}/64x64.png`]);
  assert.ok(!answered.includes('second of the flood'));
  await Promise.all([first, second]);
});

test('an invalid link of our own is refused as such', async () => {
  await using world = await openWorld();
  const jobId = await world.create();
  const first = await world.finished(jobId);
  const { image_url: url } = first.result as { image_url: string };
  const refusal = async (input: string) => {
    const body = { prompt: 'a', aspect_ratio: '1:1', input_images_urls: [input] };
    const reply = await world.send('POST', '/nb2/url-generations', { body });
    assertProblem(reply, 422, 'inputs_unusable');
    const [error] = reply.body.errors as { code: string; detail: string }[];
    return [error?.code, error?.detail];
  };
  const changed =
    'This link does not belong to this server, or was changed. Read the job again for a fresh one.';
  assert.deepEqual(await refusal(url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))), [
    'input_blocked',
    changed,
  ]);
  assert.deepEqual(await refusal(url.replace(/\.png.*/, '')), ['input_blocked', changed]);
  world.clock.advance(25 * 60 * 60 * 1000);
  assert.deepEqual(await refusal(url), [
    'input_blocked',
    'This result link has expired. Read the job again for a fresh one.',
  ]);
  const { result } = (await world.send('GET', `/jobs/${jobId}`)).body;
  const fresh = (result as { image_url: string }).image_url;
  await expire(world.app, -26 * 60 * 60 * 1000);
  assert.deepEqual(await refusal(fresh), [
    'input_unfetchable',
    'The image of this result link was deleted. Create its job again, or use another image.',
  ]);
});

async function refusalsOf(world: World, url: string) {
  const create = (path: string, more: object) =>
    world.send('POST', path, { body: { prompt: 'a', aspect_ratio: '1:1', ...more } });
  const input = await create('/nb2/url-generations', { input_images_urls: [url] });
  const callback = await create('/nb2/text-generations', { callback_url: url });
  const [error] = input.body.errors as { code: string }[];
  return [input.status, error?.code, callback.status, callback.body.code];
}
const refused = [422, 'input_blocked', 422, 'invalid_request'];

test('E29: our own database’s address is accepted neither as input nor as callback, even if its network is open', {
  skip: process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL',
}, async () => {
  await using world = await openWorld({ env: allowed });
  const { port } = new URL(world.config.databaseUrl ?? '');
  for (const host of ['127.0.0.1', 'localhost', '127.8.9.10'])
    assert.deepEqual(await refusalsOf(world, `http://${host}:${port}/`), refused, host);
});

test('a local image server is accepted neither as input nor as callback, because it shows everybody every image', async () => {
  await using images = await serveImages();
  await using world = await openWorld({ env: { ...allowed, AUTOMATIC1111_URL: images.url } });
  assert.deepEqual(await refusalsOf(world, `${images.url}/64x64.png`), refused);
  await using others = await serveImages();
  await world.create('/nb2/url-generations', { input_images_urls: [`${others.url}/64x64.png`] });
});
