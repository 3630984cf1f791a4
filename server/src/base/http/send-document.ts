import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { knowsVersion } from './known-version.ts';

/** A document that does not change while the process runs. */
export interface Document {
  type: string;
  content: string | Buffer;
  etag: string;
}

export function makeDocument(type: string, content: string | Buffer): Document {
  return {
    type,
    content,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
  };
}

/** Answers 304 when the client has this version. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, etag }: Document,
): FastifyReply {
  reply.header('cache-control', 'no-cache').header('etag', etag);
  if (knowsVersion(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(content);
}
