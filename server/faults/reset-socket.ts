import type { Socket } from 'node:net';

/**
 * Breaks a connection with a reset, or closes it if it has already begun to end. A reset fails during the socket's
 * shutdown, and Node then forgets the handle without closing it. The process could then never end, because it would
 * wait for that handle.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
