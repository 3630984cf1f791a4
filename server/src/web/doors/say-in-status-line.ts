import type { FastifyReply } from 'fastify';

const maxLength = 200;

/** For programs that show no more of an error than its status line, as Open WebUI does. HTTP takes printable ASCII there. */
export function sayInStatusLine(reply: FastifyReply, message: string): void {
  reply.raw.statusMessage = message.replaceAll(/[^ -~]+/g, ' ').slice(0, maxLength);
}
