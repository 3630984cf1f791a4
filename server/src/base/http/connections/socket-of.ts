import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connection of a request or of its answer; undefined once it is gone. Only this function reads `socket`:
 * Node's types do not say that it is null after a request was destroyed or an answer was sent.
 */
export function socketOf(message: IncomingMessage | ServerResponse): Socket | undefined {
  return (message.socket as Socket | null) ?? undefined; // null, as explained above
}
