import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '../../src/base/db/postgres.ts';

const timeout = 30_000;
// Longer than the listener waits before it connects again.
const afterAnotherTryMs = 1_500;

const message = (type: string, body: Buffer | string = '') => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
};
const ready = message('Z', 'I');
const welcome = Buffer.concat([message('R', Buffer.alloc(4)), ready]);
const done = Buffer.concat([message('C', 'LISTEN\0'), ready]);
const fatal = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');
const refused = Buffer.concat([message('E', 'SERROR\0CXX000\0Mnot now\0\0'), ready]);

/** The part of a PostgreSQL server that a listener needs: it accepts every login and answers every LISTEN. */
async function startServer({ greeting = welcome, answer = done } = {}) {
  const sockets: Socket[] = [];
  const waiting: (() => void)[] = [];
  // Half open, so that the server decides when a connection ends.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.once('data', () => {
      socket.write(greeting);
      socket.on('data', (data) => {
        if (data.includes('listen')) socket.write(answer);
        if (data.includes('listen darkroom_finished')) for (const resolve of waiting.splice(0)) resolve();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `postgres://somebody@127.0.0.1:${address.port}/any`,
    sockets,
    server,
    listened: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a connection that breaks is replaced by one, however late its end comes', { timeout }, async () => {
  await using server = await startServer();
  await using database = await openPostgres(server.url, { connections: 4 });
  const first = server.listened();
  database.listen('jobs', () => {});
  await first;
  const second = server.listened();
  server.sockets[0]?.write(fatal);
  await second;
  server.sockets[0]?.end();
  await sleep(afterAnotherTryMs);
  assert.equal(server.sockets.length, 2);
});

test('a connection that cannot listen is closed before another is tried', { timeout }, async () => {
  await using server = await startServer({ answer: refused });
  await using database = await openPostgres(server.url, { connections: 4 });
  const connected = once(server.server, 'connection');
  database.listen('jobs', () => {});
  const [socket]: Socket[] = await connected;
  assert(socket);
  await once(socket, 'end');
});

test('closing during a connection attempt leaves no connection', { timeout }, async () => {
  await using server = await startServer({ greeting: Buffer.alloc(0) });
  const database = await openPostgres(server.url, { connections: 4 });
  const connected = once(server.server, 'connection');
  database.listen('jobs', () => {});
  const [socket]: Socket[] = await connected;
  assert(socket);
  const ended = once(socket, 'end');
  const closing = database[Symbol.asyncDispose]();
  socket.write(welcome);
  await ended;
  await closing;
  await sleep(afterAnotherTryMs);
  assert.equal(server.sockets.length, 1);
});
