import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

// 1 KB a second. The system takes more from us in pieces of some hundred kilobytes, so that a phone at the edge of its
// network seems to take nothing for many seconds.
const leastBytes = 65_536;
const withinMs = 60_000;
const lookEveryMs = 5_000;

/** What a client had taken when it had last taken enough. */
interface Taken {
  at: number;
  /** Bytes of writes that have ended. */
  ended: number;
  /** Bytes of the write under way that are still here. */
  left: number;
}

/** Ends connections whose clients ask and hardly read: each would hold a file of the process for as long as it likes. */
export function endSlowReaders(server: FastifyInstance): void {
  const open = new Set<Socket>();
  const waiting = new WeakMap<Socket, Taken>();
  server.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const watch = setInterval(() => open.forEach(look), lookEveryMs).unref();
  server.addHook('onClose', async () => clearInterval(watch));

  function look(socket: Socket): void {
    // Whoever waits for us now, such as for a slow store, is not at fault.
    if (socket.writableLength === 0) return void waiting.delete(socket);
    const now = takenNow(socket);
    const before = waiting.get(socket);
    const taken = before ? now.ended - before.ended + Math.max(0, before.left - now.left) : leastBytes;
    if (taken >= leastBytes) waiting.set(socket, now);
    // Not closed but reset: otherwise the system would keep the rest, megabytes, for as long as the client likes.
    else if (before && now.at - before.at >= withinMs) socket.resetAndDestroy();
  }
}

function takenNow(socket: Socket): Taken {
  // What Node's own time-out of sockets looks at; it has no public name.
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return {
    at: performance.now(),
    ended: socket.bytesWritten - socket.writableLength,
    left: handle?.writeQueueSize ?? 0,
  };
}
