import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

// A client that takes nothing of its answer for so long, twice (Node looks again before it gives up), will not take the
// rest either.
const maxStallMs = 15_000;
const lookEveryMs = 5_000;

/** Ends connections whose clients ask and do not read: each would hold a file of the process for as long as it likes. */
export function endStalled(server: FastifyInstance): void {
  const open = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const watch = setInterval(() => open.forEach(endIfStalled), lookEveryMs).unref();
  server.addHook('onClose', async () => clearInterval(watch));
}

/** The time-out of a socket begins anew with every byte that its client takes. */
function endIfStalled(socket: Socket): void {
  const isWaiting = socket.writableLength > 0;
  if (isWaiting && socket.timeout !== maxStallMs) socket.setTimeout(maxStallMs);
  // What is waiting for us now, such as a slow store, is not the client's fault.
  if (!isWaiting && socket.timeout === maxStallMs) socket.setTimeout(0);
}
