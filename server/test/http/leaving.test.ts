import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';
import { openStream } from './support/job-stream.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertProblem } from './support/refusal.ts';
import { bearer, eventually, textBody } from './support/requests.ts';

const log = createRecordingLog();
const world = await openWorld({
  worker: false,
  env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork },
  replacements: { log },
});
after(() => world[Symbol.asyncDispose]());

async function assertLeftQuietly(path: string) {
  const finished = () =>
    log.lines.filter((line) => line.startsWith('request.finished ') && line.includes(path));
  await eventually(
    async () => finished(),
    (lines) => lines.length > 0,
  );
  await world.send('GET', '/balance');
  const [line, ...more] = finished();
  assert.match(line ?? '', /"status":499/);
  assert.deepEqual(more, []);
  assert.ok(!log.has('request.failed'), log.lines.join('\n'));
}

test('a client that leaves while its inputs are fetched is logged once, as 499, not as a failure', async () => {
  let answers = false;
  await using images = await startStranger((_request, response) => {
    if (!answers) return;
    response.statusCode = 404;
    response.end();
  });
  const asked = once(images.server, 'request');
  const body = { ...textBody, input_images_urls: [`${images.origin}/a.png`] };
  const headers = { 'idempotency-key': randomUUID() };
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('POST', '/api/v1/nb2/url-generations', {
      headers: { ...bearer(world.key), ...headers },
      body: JSON.stringify(body),
    }),
  );
  await asked;
  client.socket.destroy();
  await assertLeftQuietly('/nb2/url-generations');

  // The key is free once the first request has ended.
  answers = true;
  assertProblem(await world.send('POST', '/nb2/url-generations', { body, headers }), 422, 'inputs_unusable');
  assert.ok(!log.has('request.failed'), log.lines.join('\n'));
});

test('a client that leaves in the middle of its body is logged once, as 499, not as a failure', async () => {
  using client = await openRawClient(world.url);
  const headers = { ...bearer(world.key), 'content-type': 'application/json', 'content-length': '1000' };
  client.write(`${rawRequest('POST', '/api/v1/text-generations', { headers })}{`);
  // The request is running once a later one has been answered.
  await world.send('GET', '/balance');
  client.socket.destroy();
  await assertLeftQuietly('/api/v1/text-generations');
});

test('a client that leaves while it waits for a job is logged once, as 499', async () => {
  const jobId = await world.create();
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('GET', `/api/v1/jobs/${jobId}`, { headers: { ...bearer(world.key), prefer: 'wait=60' } }),
  );
  await world.send('GET', '/balance');
  client.socket.destroy();
  await assertLeftQuietly('/api/v1/jobs/:job_id');
});

test('a client that leaves in the middle of a stream is not a failure', async () => {
  const jobId = await world.create();
  {
    using stream = await openStream(world.url, jobId, bearer(world.key));
    assert.equal((await stream.next())?.id, 'queued');
  }
  await eventually(
    async () => log.lines.filter((line) => line.includes('"method":"GET"') && line.includes(jobId)),
    (lines) => lines.length > 0,
  );
  await world.send('GET', '/balance');
  assert.ok(!log.has('request.failed'), log.lines.join('\n'));
});
