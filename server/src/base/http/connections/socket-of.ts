import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connection of a request or answer; undefined once it is gone. Use only this function, because `socket` is null
 * after a destroyed request or a sent answer, which Node's types do not say.
 */
export function socketOf(message: IncomingMessage | ServerResponse): Socket | undefined {
  return (message.socket as Socket | null) ?? undefined; // null, as explained above
}
