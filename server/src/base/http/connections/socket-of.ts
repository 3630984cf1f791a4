import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connection of a request or of its answer; undefined once it is gone. The one place that reads it: Node's types leave out
 * that it is null after a request was destroyed and after an answer was sent.
 */
export function socketOf(message: IncomingMessage | ServerResponse): Socket | undefined {
  return (message.socket as Socket | null) ?? undefined; // null as said above
}
