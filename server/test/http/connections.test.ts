import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import { openRawClient, type RawClient, type RawReply, rawRequest } from './support/raw-client.ts';
import { assertRawProblem } from './support/refusal.ts';
import { bearer, eventually } from './support/requests.ts';

async function connectBoth(world: World): Promise<{ ours: Socket; theirs: Socket }> {
  const accepted = Promise.withResolvers<Socket>();
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket }; // the documented message
    if (socket.remotePort === ours.localPort) accepted.resolve(socket);
  };
  subscribe('net.server.socket', note);
  const ours = connect({ port: Number(new URL(world.url).port), host: '127.0.0.1', allowHalfOpen: true });
  ours.on('error', () => {});
  await once(ours, 'connect');
  const theirs = await accepted.promise;
  unsubscribe('net.server.socket', note);
  return { ours, theirs };
}

async function untilClosed({ ours, theirs }: { ours: Socket; theirs: Socket }): Promise<void> {
  if (!theirs.closed) await once(theirs, 'close');
  ours.destroy();
}

test('a refused connection ends soon, even if its client never ends it', {
  timeout: 60_000,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { ours, theirs } = await connectBoth(world);
  ours.resume().write('nonsense\r\n\r\n');
  await once(ours, 'end');
  await untilClosed({ ours, theirs });
});

/** Several times as much as the system buffers for both sides and a slow reader reads in 80 s. */
const muchBytes = 64e6;

test('clients that time out, or that do not read, are disconnected', {
  concurrency: true,
  timeout: 240_000,
}, async (context) => {
  await using world = await openWorld({ worker: false });
  const page = await (await fetch(`${world.url}/docs/reference`)).bytes();
  const much = 'GET /docs/reference HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(Math.ceil(muchBytes / page.length));
  await Promise.all([
    context.test('one that sends half of its headers and keeps its half open', async () => {
      const both = await connectBoth(world);
      both.ours.resume().write('GET /livez HTTP/1.1\r\nhost: a\r\nx-slow: ');
      await untilClosed(both);
    }),
    context.test('one that sends nothing at all', async () => {
      const both = await connectBoth(world);
      both.ours.resume();
      await untilClosed(both);
    }),
    context.test('one that asks for much and reads nothing', async () => {
      const both = await connectBoth(world);
      both.ours.pause().write(much);
      await untilClosed(both);
    }),
    context.test('one that asks for much and reads a few bytes of it at a time', async () => {
      const both = await connectBoth(world);
      both.ours.pause().write(much);
      const trickle = setInterval(() => both.ours.read(1_000), 500);
      await untilClosed(both);
      clearInterval(trickle);
    }),
    context.test('but not one that reads slowly', async () => {
      const both = await connectBoth(world);
      both.ours.pause().write(much);
      // On one machine, a connection's window opens in steps of hundreds of kilobytes.
      const reading = setInterval(() => both.ours.read(Math.min(32_768, both.ours.readableLength)), 500);
      await once(AbortSignal.timeout(80_000), 'abort');
      clearInterval(reading);
      assert.ok(both.theirs.writableLength > 0 && !both.theirs.destroyed);
      both.ours.destroy();
    }),
  ]);
});

async function ask(world: World, path: string): Promise<RawReply | undefined> {
  using client = await openRawClient(world.url);
  client.write(rawRequest('GET', path, { headers: bearer(world.key) }));
  return await client.next();
}

test('idle connections make room for others', { timeout: 60_000 }, async () => {
  await using world = await openWorld({ worker: false, config: { maxConnections: 64 } });
  const standing: Socket[] = [];
  for (let nth = 0; nth < 300; nth += 1) {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    // Half a request, or a whole one, after which a connection may stay open for a minute.
    socket.write(`GET /livez HTTP/1.1\r\nhost: a\r\n${nth % 2 === 0 ? 'x-slow: ' : '\r\n'}`);
    if (nth % 2 === 1) await once(socket, 'data');
    standing.push(socket.resume());
  }
  assert.equal((await ask(world, '/api/v1/balance'))?.status, 200);
  for (const path of ['/livez', '/readyz']) assert.equal((await ask(world, path))?.status, 200);
  await eventually(
    async () => standing.filter(({ closed }) => !closed).length,
    (left) => left <= 64,
  );
  for (const socket of standing) socket.destroy();
});

test('a connection between two requests makes room, but one with a running request does not', {
  timeout: 60_000,
}, async () => {
  await using world = await openWorld({ worker: false, config: { maxConnections: 64 } });
  using idle = await openRawClient(world.url);
  idle.write(rawRequest('GET', '/livez'));
  assert.equal((await idle.next())?.status, 200);
  const path = `/api/v1/jobs/${await world.create()}`;
  using busy = await openRawClient(world.url);
  busy.write(rawRequest('GET', path, { headers: { ...bearer(world.key), prefer: 'wait=60' } }));
  // This later request is answered, so the earlier one is running.
  assert.equal((await ask(world, '/livez'))?.status, 200);
  const standing = await Promise.all(Array.from({ length: 80 }, () => openRawClient(world.url)));
  await idle.closed;
  assert.equal(busy.socket.closed, false);
  for (const client of standing) client[Symbol.dispose]();
});

test('when the most requests are running, health checks are answered and others are refused', {
  timeout: 60_000,
}, async () => {
  await using world = await openWorld({ worker: false, config: { maxConnections: 64 } });
  const path = `/api/v1/jobs/${await world.create()}`;
  const waiting: RawClient[] = [];
  for (let nth = 0; nth < 32; nth += 1) {
    const client = await openRawClient(world.url);
    client.write(rawRequest('GET', path, { headers: { ...bearer(world.key), prefer: 'wait=60' } }));
    waiting.push(client);
  }
  const refused = await eventually(
    () => ask(world, '/api/v1/balance'),
    (reply) => reply?.status === 503,
  );
  assertRawProblem(refused, 503, 'overloaded');
  assert.ok(Number(refused?.headers.get('retry-after')) >= 1);
  for (const health of ['/livez', '/readyz']) assert.equal((await ask(world, health))?.status, 200);
  for (const client of waiting) client[Symbol.dispose]();
  await eventually(
    async () => (await ask(world, '/api/v1/balance'))?.status,
    (status) => status === 200,
  );
});
