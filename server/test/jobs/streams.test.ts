import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Darkroom } from '@darkroom/sdk';
import { openStream } from '../http/support/job-stream.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { openWorld, type World } from '../world/world.ts';

const unknownJob = '0197f8a0-0000-7000-8000-000000000000';

/** The provider makes no image before `release` is called. */
function holdImages(world: World): { release(): void } {
  const held = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await held.promise;
    return world.provider.answer(request);
  };
  return { release: held.resolve };
}

test('a stream sends the job at once and at each change, and ends with the job', async () => {
  await using world = await openWorld();
  const held = holdImages(world);
  const jobId = await world.create();
  using stream = await openStream(world.url, jobId, bearer(world.key));
  assert.equal(stream.response.status, 200);
  assert.equal(stream.response.headers.get('content-type'), 'text/event-stream');
  assert.equal(stream.response.headers.get('cache-control'), 'no-store');
  assert.equal(stream.response.headers.get('x-accel-buffering'), 'no');
  let event = await stream.next();
  if (event?.job.status === 'queued') event = await stream.next();
  assert.deepEqual([event?.event, event?.id, event?.job.status], ['job', 'processing', 'processing']);
  held.release();
  const last = await stream.next();
  assert.deepEqual(last?.job, await world.finished(jobId));
  assert.equal(last?.job.status, 'done');
  assert.equal(await stream.next(), undefined);

  // A job that has ended, and a client that returns: it gets the changes it has not seen, or the end.
  using late = await openStream(world.url, jobId, bearer(world.key));
  assert.deepEqual(await late.statuses(), ['done']);
  const resume = (seen: string) =>
    openStream(world.url, jobId, { ...bearer(world.key), 'last-event-id': seen });
  using missed = await resume('processing');
  assert.deepEqual(await missed.statuses(), ['done']);
  using seen = await resume('done');
  assert.equal(seen.response.status, 204);

  // A client that prefers any other type gets JSON, as always.
  for (const accept of ['application/json', '*/*', 'application/json, text/event-stream']) {
    const { body } = await world.send('GET', `/jobs/${jobId}`, { headers: { accept } });
    assert.equal(body.status, 'done', accept);
  }
  const { accountId: _, key } = await world.account('another');
  for (const [id, headers, status, code] of [
    [unknownJob, {}, 404, 'not_found'],
    [jobId, bearer(key), 404, 'not_found'],
    [jobId, bearer('dk_wrong'), 401, 'key_invalid'],
  ] as const) {
    const wanted = { accept: 'text/event-stream', ...headers };
    assertProblem(await world.send('GET', `/jobs/${id}`, { headers: wanted }), status, code);
  }

  // The library requests the job once, and is notified of the start and the end.
  const next = holdImages(world);
  const asked: string[] = [];
  const darkroom = new Darkroom({
    baseUrl: world.url,
    apiKey: world.key,
    fetch: (input, init) => {
      asked.push(init?.method ?? 'GET');
      return fetch(input, init);
    },
  });
  const statuses: string[] = [];
  const image = await darkroom.generate(
    'nb2',
    { prompt: 'a fox', aspect_ratio: '1:1' },
    {
      onChange: ({ status }) => {
        statuses.push(status);
        if (status === 'processing') next.release();
      },
    },
  );
  assert.equal(image.status, 'done');
  assert.deepEqual(asked, ['POST', 'GET']);
  assert.deepEqual(statuses.slice(-2), ['processing', 'done']);
});

test('streams end when the server stops, leave room for other requests, and are free again when left', async () => {
  await using world = await openWorld({ worker: false, config: { maxConnections: 64 } });
  const jobId = await world.create();
  const streams = await Promise.all(
    Array.from({ length: 16 }, () => openStream(world.url, jobId, bearer(world.key))),
  );
  for (const stream of streams) assert.equal((await stream.next())?.job.status, 'queued');
  const refused = await world.send('GET', `/jobs/${jobId}`, { headers: { accept: 'text/event-stream' } });
  assertProblem(refused, 503, 'overloaded');
  const eitherWay = { accept: 'text/event-stream, application/json;q=0.5' };
  const { body } = await world.send('GET', `/jobs/${jobId}`, { headers: eitherWay });
  assert.equal(body.status, 'queued');
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const theirs = await world.create(undefined, {}, bearer(other.key));
  using roomForThem = await openStream(world.url, theirs, bearer(other.key));
  assert.equal((await roomForThem.next())?.job.status, 'queued');

  streams[0]?.[Symbol.dispose]();
  const again = await eventually(
    () => openStream(world.url, jobId, bearer(world.key)),
    ({ response }) => response.status === 200,
  );
  assert.equal((await again.next())?.job.status, 'queued');

  const ends = [...streams.slice(1), again, roomForThem].map((stream) => stream.next());
  await world.restart();
  assert.deepEqual(new Set(await Promise.all(ends)), new Set([undefined]));
});

test('clients that leave before their stream begins use no capacity', async () => {
  await using world = await openWorld({ worker: false, config: { maxConnections: 64 } });
  const jobId = await world.create();
  const { hostname, port, host } = new URL(world.url);
  const request = [
    `GET /api/v1/jobs/${jobId} HTTP/1.1`,
    ...[`host: ${host}`, `authorization: Bearer ${world.key}`, 'accept: text/event-stream'],
    '\r\n',
  ].join('\r\n');
  const leave = async () => {
    const socket = connect(Number(port), hostname);
    socket.end(request, () => socket.resetAndDestroy());
    await once(socket, 'close');
  };
  for (let times = 0; times < 40; times += 1) await leave();
  using stream = await eventually(
    () => openStream(world.url, jobId, bearer(world.key)),
    ({ response }) => response.status === 200,
  );
  assert.equal((await stream.next())?.job.status, 'queued');
});
