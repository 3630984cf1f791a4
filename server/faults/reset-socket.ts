import type { Socket } from 'node:net';

/**
 * Breaks a connection with a reset, or closes it if it has already begun to end. A reset fails while a shutdown is under
 * way, and Node then forgets the handle without closing it: when the process ends, it looks for that handle for ever.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
