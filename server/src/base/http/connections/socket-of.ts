import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connection of a message. Use only this function, because `socket` can be null, which Node's types do not say. */
export function socketOf(message: IncomingMessage | ServerResponse): Socket | undefined {
  return (message.socket as Socket | null) ?? undefined; // null, as explained above
}
