import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';

/** What a server of this process has on the other end of a connection of ours. */
async function connectBoth(world: World): Promise<{ ours: Socket; theirs: Socket }> {
  const accepted = Promise.withResolvers<Socket>();
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket }; // as Node documents it
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

test('a connection that was refused ends soon, though its client never ends it', {
  timeout: 60_000,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { ours, theirs } = await connectBoth(world);
  ours.resume().write('nonsense\r\n\r\n');
  await once(ours, 'end');
  await untilClosed({ ours, theirs });
});

test('clients that time out, or that do not read, are let go', {
  concurrency: true,
  timeout: 240_000,
}, async (context) => {
  await using world = await openWorld({ worker: false });
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
      both.ours.pause().write('GET /docs HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1_000));
      await untilClosed(both);
    }),
  ]);
});
