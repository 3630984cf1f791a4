import type { FastifyReply } from 'fastify';
import { sayInStatusLine } from '../say-in-status-line.ts';
import { retryAfterIn, toGoogleError } from './google-error.ts';

export function sendGoogleError(reply: FastifyReply, error: unknown): FastifyReply {
  const body = toGoogleError(error);
  const status = body.error.code;
  const retryAfter = retryAfterIn(body);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  sayInStatusLine(reply, body.error.message);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}
