import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { listen, portOf } from '../../faults/listen.ts';
import { resetSocket } from '../../faults/reset-socket.ts';

test('a socket that is open is reset: its peer sees an error', async () => {
  const { peer, closed } = await openAndBreak(resetSocket);
  const [error] = await once(peer, 'error');
  assert.equal(error.code, 'ECONNRESET');
  await closed;
});

test('a socket that is about to end is closed too, so that it does not keep the process running', {
  timeout: 30_000,
}, async () => {
  const { peer, closed } = await openAndBreak((socket) => {
    socket.end();
    resetSocket(socket);
  });
  peer.resume();
  await closed;
  await once(peer, 'close');
});

/** `closed`: the broken socket has released its handle. */
async function openAndBreak(
  breakIt: (socket: Socket) => void,
): Promise<{ peer: Socket; closed: Promise<void> }> {
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', closed.reject).on('close', () => closed.resolve());
    breakIt(socket);
    server.close();
  });
  await listen(server);
  return { peer: connect(portOf(server), '127.0.0.1'), closed: closed.promise };
}
