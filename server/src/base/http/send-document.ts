import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { knowsVersion } from './known-version.ts';

/** A document that does not change while the process runs. */
export interface Document {
  type: string;
  content: string | Buffer;
  etag: string;
  /** Compressed when a client first requests it; undefined if that would save little. */
  gzipped(): Buffer | undefined;
}

const minGzippedLength = 1400; // the size of a packet

export function makeDocument(type: string, content: string | Buffer): Document {
  let gzipped: Buffer | undefined;
  const isText = typeof content === 'string' && content.length > minGzippedLength;
  return {
    type,
    content,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    gzipped() {
      if (isText) gzipped ??= gzipSync(content);
      return gzipped;
    },
  };
}

export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, content, etag, gzipped }: Document,
): FastifyReply {
  const shorter = takesGzip(String(headers['accept-encoding'] ?? '')) ? gzipped() : undefined;
  // The compressed bytes differ, so they need a different entity tag.
  const version = shorter ? etag.replace(/"$/, '-gzip"') : etag;
  reply.header('cache-control', 'no-cache').header('etag', version);
  reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
  if (knowsVersion(headers['if-none-match'], version)) return reply.code(304).send();
  if (shorter) reply.header('content-encoding', 'gzip');
  return reply.type(type).send(shorter ?? content);
}

/** Requires the name `gzip`, because a client that accepts `*` may be unable to read gzip. */
function takesGzip(accepted: string): boolean {
  return accepted.split(',').some((one) => {
    const [coding = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    return coding === 'gzip' && (quality === undefined || Number(quality) > 0);
  });
}
