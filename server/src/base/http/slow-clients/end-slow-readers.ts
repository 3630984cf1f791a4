import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Containment } from '../connections/containment.ts';

// The least to read in a minute. Kernels take large blocks, so a phone with a weak signal seems idle between blocks.
const leastBytes = 65_536;
const withinMs = 60_000;
const lookEveryMs = 5_000;

/** The bytes that a client had read when it last met the minimum. */
interface Taken {
  at: number;
  ended: number;
  /** Bytes of the current write that are not sent yet. */
  left: number;
}

/** Resets connections of clients that hardly read their answers, because each occupies a file descriptor. */
export function endSlowReaders(server: FastifyInstance, contain: Containment['contain']): void {
  const open = new Set<Socket>();
  const waiting = new WeakMap<Socket, Taken>();
  server.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const watch = setInterval(() => {
    for (const socket of open)
      contain(
        'slow reader',
        () => look(socket),
        () => socket,
      );
  }, lookEveryMs).unref();
  server.addHook('onClose', async () => clearInterval(watch));

  function look(socket: Socket): void {
    // If there is nothing to send, the client is waiting for us, for example for a slow image store.
    if (socket.writableLength === 0) return void waiting.delete(socket);
    const now = takenNow(socket);
    const before = waiting.get(socket);
    const taken = before ? now.ended - before.ended + Math.max(0, before.left - now.left) : leastBytes;
    if (taken >= leastBytes) waiting.set(socket, now);
    // Resets the connection: after a normal close the kernel would keep megabytes for as long as the client likes.
    else if (before && now.at - before.at >= withinMs) socket.resetAndDestroy();
  }
}

function takenNow(socket: Socket): Taken {
  // Node's socket timeout uses this property, which has no public name.
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return {
    at: performance.now(),
    ended: socket.bytesWritten - socket.writableLength,
    left: handle?.writeQueueSize ?? 0,
  };
}
