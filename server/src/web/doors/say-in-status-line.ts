import type { FastifyReply } from 'fastify';

const maxLength = 200;

/**
 * Writes a message into the status line, for programs that show nothing else of an error, such as Open WebUI. HTTP
 * allows printable ASCII there.
 */
export function sayInStatusLine(reply: FastifyReply, message: string): void {
  reply.raw.statusMessage = message.replaceAll(/[^ -~]+/g, ' ').slice(0, maxLength);
}
