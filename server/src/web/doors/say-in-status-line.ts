import type { FastifyReply } from 'fastify';

const maxLength = 200;

/**
 * Writes a message into the status line, for programs such as Open WebUI that show nothing else of an error.
 * HTTP allows printable ASCII there.
 */
export function sayInStatusLine(reply: FastifyReply, message: string): void {
  reply.raw.statusMessage = message.replaceAll(/[^ -~]+/g, ' ').slice(0, maxLength);
}
