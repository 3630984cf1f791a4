import type { FastifyReply } from 'fastify';

const maxLength = 200;

/** Writes a message into the status line: programs such as Open WebUI show nothing else of an error response. */
export function sayInStatusLine(reply: FastifyReply, message: string): void {
  reply.raw.statusMessage = message.replaceAll(/[^ -~]+/g, ' ').slice(0, maxLength);
}
