import type { Socket } from 'node:net';

/**
 * Resets a connection, or closes it if its shutdown has begun. A reset during the shutdown fails, and Node would then
 * forget the handle without closing it, so that the process could never end.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
