import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { knowsVersion } from './known-version.ts';

/** A text that stays the same while the process runs. */
export interface Document {
  type: string;
  text: string;
  etag: string;
}

export function makeDocument(type: string, text: string): Document {
  return { type, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

/** Answers 304 when the client has this version. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text, etag }: Document,
): FastifyReply {
  reply.header('cache-control', 'no-cache').header('etag', etag);
  if (knowsVersion(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(text);
}
