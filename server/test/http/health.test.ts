import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertRawProblem } from './support/refusal.ts';
import { bearer, eventually, textBody } from './support/requests.ts';

test('/livez and /readyz answer without a key, at GET and HEAD, whatever the rate limit', async () => {
  const log = createRecordingLog();
  await using world = await openWorld({
    worker: false,
    config: { rateLimit: { perSecond: 0.001, burst: 1 } },
    replacements: { log },
  });
  for (const [path, status] of [
    ['/livez', 'alive'],
    ['/readyz', 'ready'],
  ]) {
    for (let nth = 0; nth < 3; nth += 1) {
      const reply = await fetch(`${world.url}${path}`);
      assert.equal(reply.status, 200);
      assert.deepEqual(await reply.json(), { status });
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal((await fetch(`${world.url}${path}`, { method: 'HEAD' })).status, 200);
    }
    assert.equal((await fetch(`${world.url}${path}`, { method: 'POST' })).headers.get('allow'), 'GET, HEAD');
  }
});

test('while the server drains, /readyz is 503 with Retry-After and /livez still 200', async () => {
  const slow = Promise.withResolvers<void>();
  await using pictures = await startStranger(async (_request, response) => {
    await slow.promise;
    response.statusCode = 404;
    response.end();
  });
  await using world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork } });
  const asked = once(pictures.server, 'request');
  const jobId = await world.create();
  // Answers on one connection come in order: what is asked behind a request under way is asked of a live connection.
  using first = await openRawClient(world.url);
  using second = await openRawClient(world.url);
  const body = JSON.stringify({ ...textBody, input_images_urls: [`${pictures.origin}/a.png`] });
  const create = rawRequest('POST', '/api/v1/nb2/url-generations', { headers: bearer(world.key), body });
  for (const client of [first, second]) client.write(create);
  await asked;
  const waiting = world.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=60' } });
  await eventually(
    () => world.send('GET', '/balance'),
    ({ status }) => status === 200,
  );
  const restarted = world.restart();
  await waiting;
  first.write(rawRequest('GET', '/readyz'));
  second.write(rawRequest('GET', '/livez'));
  slow.resolve();
  assert.equal((await first.next())?.status, 422);
  assert.equal((await second.next())?.status, 422);
  const notReady = await first.next();
  assertRawProblem(notReady, 503, 'shutting_down');
  assert.equal(notReady?.headers.get('retry-after'), '1');
  assert.equal((await second.next())?.status, 200);
  await restarted;
});
