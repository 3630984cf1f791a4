import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { listen } from '../../faults/listen.ts';
import { type RealServer, startServer, temporaryFolder } from '../faults/support/server.ts';
import { eventually, textBody } from '../http/support/requests.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { openWorld, type World } from '../world/world.ts';

const env = { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' };
// No rate limits these requests: only what the tests wait for does, however busy the machine.
const fetchLimits = { totalMs: 600_000, answerMs: 600_000, silenceMs: 600_000 };
const openIntake = () => openWorld({ env, worker: false, replacements: { fetchLimits } });

async function startSlowServer({ announced = onePixelPng.length } = {}) {
  const open = new Set<ServerResponse>();
  let end: 'finish' | 'break' | undefined;
  let asked = 0;
  const finish = (response: ServerResponse, sent: number) => {
    open.delete(response);
    if (end === 'break') response.destroy();
    else response.end(onePixelPng.subarray(sent));
  };
  const server = createServer((_request, response) => {
    let sent = 1;
    response.writeHead(200, { 'content-length': announced }).write(onePixelPng.subarray(0, sent));
    open.add(response);
    const more = setInterval(() => response.write(onePixelPng.subarray(sent, ++sent)), 1_000);
    response.on('close', () => clearInterval(more));
    server.on('end', () => open.has(response) && finish(response, sent));
    asked += 1;
    server.emit(end ? 'end' : 'asked');
  });
  server.setMaxListeners(0);
  const origin = await listen(server);
  let names = 0;
  return {
    /** Returns a new address each time. */
    url: () => `${origin}/${names++}.png`,
    async asked(count: number) {
      while (asked < count) await once(server, 'asked');
      assert.equal(asked, count);
    },
    end(how: 'finish' | 'break') {
      end = how;
      server.emit('end');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type SlowServer = Awaited<ReturnType<typeof startSlowServer>>;

function sendMany(world: World, count: number, images: SlowServer, key = world.key) {
  const statuses: number[] = [];
  const all = Array.from({ length: count }, async () => {
    const body = { ...textBody, input_images_urls: [images.url()] };
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await world.send('POST', '/nb2/url-generations', { body, headers });
    statuses.push(status);
  });
  const first = async (wanted: number) => {
    await eventually(
      async () => statuses.length,
      (length) => length >= wanted,
    );
    return statuses.slice(0, wanted);
  };
  return { all: Promise.all(all), statuses, first };
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

test('an account has no more running creates than it can pay for', async () => {
  await using images = await startSlowServer();
  await using world = await openIntake();
  const { key } = await world.account('two', { creditMicros: 80_000n });
  const ofAnother = sendMany(world, 1, images);
  await images.asked(1);
  const sent = sendMany(world, 10, images, key);
  assert.deepEqual(await sent.first(8), times(8, 402));
  assert.equal(await Promise.race([images.asked(3), sent.first(9)]), undefined);
  images.end('finish');
  await Promise.all([ofAnother.all, sent.all]);
  assert.deepEqual(sent.statuses.slice(8), [202, 202]);
});

test('promised money is free again if the inputs are unusable', async () => {
  await using images = await startSlowServer();
  await using world = await openIntake();
  const { key } = await world.account('one', { creditMicros: 40_000n });
  const first = sendMany(world, 1, images, key);
  await images.asked(1);
  images.end('break');
  await first.all;
  images.end('finish');
  const second = sendMany(world, 1, images, key);
  await second.all;
  assert.deepEqual([...first.statuses, ...second.statuses], [422, 202]);
});

test('the bytes that one account has on disk are limited; another account has its own limit', async () => {
  // Announces the most input bytes, but never sends them.
  await using images = await startSlowServer({ announced: 41_943_040 });
  await using small = await startSlowServer();
  await using world = await openIntake();
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const sent = sendMany(world, 10, images);
  assert.deepEqual(await sent.first(6), times(6, 503));
  small.end('finish');
  const others = sendMany(world, 1, small, other.key);
  await others.all;
  images.end('break');
  await sent.all;
  assert.deepEqual([...sent.statuses.slice(6), ...others.statuses], [422, 422, 422, 422, 202]);
});

test('running creates are limited, and those below the limit are accepted', {
  timeout: 120_000,
}, async () => {
  await using images = await startSlowServer();
  await using world = await openIntake();
  const sent = sendMany(world, 140, images);
  assert.deepEqual(await sent.first(12), times(12, 503));
  images.end('finish');
  await sent.all;
  assert.deepEqual(sent.statuses.slice(12), times(128, 202));
});

test('a key whose create died while its inputs were fetched makes a job after the restart', {
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder();
  await using images = await startSlowServer();
  const body = { ...textBody, input_images_urls: [images.url()] };
  const create = (server: RealServer) =>
    server.send('POST', '/nb2/url-generations', body, { 'idempotency-key': 'dies' });
  {
    await using server = await startServer(folder.path, { env });
    const lost = assert.rejects(create(server));
    await images.asked(1);
    server.child.kill('SIGKILL');
    await lost;
  }
  images.end('finish');
  await using server = await startServer(folder.path, { env });
  const { status, headers } = await create(server);
  assert.deepEqual([status, headers.get('idempotent-replayed')], [202, null]);
});
