import type { Socket } from 'node:net';

/**
 * Breaks a connection with a reset, or closes it if it has already begun to end. A reset fails during a shutdown, and
 * Node then forgets the handle without closing it; when the process ends, it waits for that handle for ever.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
