import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { assertRawProblem } from './support/refusal.ts';
import { bearer, textBody } from './support/requests.ts';

/** Well under the 25 s for which a running request may delay a stop. */
const promptMs = 15_000;

test('idle connections do not delay a stop', async () => {
  await using world = await openWorld({ worker: false });
  using client = await openRawClient(world.url);
  client.write(rawRequest('GET', '/api/v1/balance', { headers: bearer(world.key) }));
  assert.equal((await client.next())?.status, 200);
  using silent = await openRawClient(world.url);
  const began = performance.now();
  await world.restart();
  await Promise.all([client.closed, silent.closed]);
  assert.ok(performance.now() - began < promptMs);
});

test('a client that left before its answer does not delay a stop', async () => {
  await using images = await startStranger(() => {});
  await using world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork } });
  const asked = once(images.server, 'request');
  using client = await openRawClient(world.url);
  const body = JSON.stringify({ ...textBody, input_images_urls: [`${images.origin}/a.png`] });
  client.write(rawRequest('POST', '/api/v1/nb2/url-generations', { headers: bearer(world.key), body }));
  await asked;
  client.socket.destroy();
  const began = performance.now();
  await world.restart();
  assert.ok(performance.now() - began < promptMs);
});

test('a running request is answered before the stop', async () => {
  const slow = Promise.withResolvers<void>();
  await using images = await startStranger(async (_request, response) => {
    await slow.promise;
    response.statusCode = 404;
    response.end();
  });
  await using world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork } });
  const asked = once(images.server, 'request');
  const body = { ...textBody, input_images_urls: [`${images.origin}/a.png`] };
  const reply = world.send('POST', '/nb2/url-generations', { body });
  await asked;
  const restarted = world.restart();
  slow.resolve();
  assert.equal((await reply).status, 422);
  await restarted;
});

test('a request on an open connection during a stop gets 503 with a problem document', async () => {
  const slow = Promise.withResolvers<void>();
  await using images = await startStranger(async (_request, response) => {
    await slow.promise;
    response.statusCode = 404;
    response.end();
  });
  await using world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork } });
  const asked = once(images.server, 'request');
  const jobId = await world.create();
  using busy = await openRawClient(world.url);
  const body = JSON.stringify({ ...textBody, input_images_urls: [`${images.origin}/a.png`] });
  busy.write(rawRequest('POST', '/api/v1/nb2/url-generations', { headers: bearer(world.key), body }));
  await asked;
  // A waiting poll is answered as soon as the stop begins.
  const waiting = world.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=60' } });
  await world.send('GET', '/balance');
  const restarted = world.restart();
  assert.equal((await waiting).status, 200);

  busy.write(rawRequest('GET', '/api/v1/balance', { headers: bearer(world.key) }));
  slow.resolve();
  assert.equal((await busy.next())?.status, 422);
  const refused = await busy.next();
  assertRawProblem(refused, 503, 'shutting_down');
  assert.equal(refused?.headers.get('retry-after'), '1');
  await busy.closed;
  await restarted;
});
