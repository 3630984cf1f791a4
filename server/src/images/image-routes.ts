import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';
import type { LinkSigner } from './image-links.ts';
import type { ImageStore } from './image-store.ts';

export interface ImageRouteDeps {
  images: ImageStore;
  links: LinkSigner;
  /** Where the result of a job is stored; undefined when it has none (any more). */
  findResult(jobId: string): Promise<{ key: string; bytes: number; sha256: string } | undefined>;
  /** A finished job whose image is not in the store: somebody must look. */
  onMissing(jobId: string, key: string): void;
}

const filePattern = /^([0-9a-f-]{36})\.(png)$/;

/** `GET /images/{job_id}.png?expires=…&key=…&signature=…`: no API key, the link is the permission. */
export function registerImageRoutes(server: FastifyInstance, deps: ImageRouteDeps): void {
  server.get('/images/:file', { exposeHeadRoute: true, schema: { hide: true } as object }, (request, reply) =>
    serveImage(deps, request, reply),
  );
  server.options('/images/:file', { schema: { hide: true } as object }, async (_request, reply) =>
    allowOrigins(reply).code(204).header('access-control-allow-methods', 'GET, HEAD').send(),
  );
}

async function serveImage({ images, links, findResult, onMissing }: ImageRouteDeps, request: FastifyRequest, reply: FastifyReply) {
  const { file } = request.params as { file: string };
  const [, jobId = '', ext = ''] = filePattern.exec(file) ?? [];
  if (!isUuid(jobId)) throw new AppError('link_invalid', 'This is not a link to an image.');

  const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
  const verdict = links.verify({ jobId, ext, query });
  if (verdict === 'expired') throw new AppError('link_invalid', 'This link is older than 24 hours. Get the job again for a fresh one.');
  if (verdict === 'tampered') throw new AppError('link_invalid', 'This link is not one of ours. Get the job again for a fresh one.');

  const result = await findResult(jobId);
  if (!result) throw new AppError('not_found', 'This image is gone: its job was removed.');
  const etag = `"${result.sha256.slice(0, 32)}"`;
  allowOrigins(reply)
    .header('content-security-policy', "default-src 'none'")
    .header('cache-control', 'private, max-age=86400, immutable')
    .header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();

  reply
    .type('image/png')
    .header('content-length', result.bytes)
    .header('content-disposition', `inline; filename="${jobId}.png"`);
  if (request.method === 'HEAD') return reply.send();
  const stored = await images.get(result.key);
  if (!stored) {
    onMissing(jobId, result.key);
    reply.removeHeader('content-length').removeHeader('etag').header('cache-control', 'no-store');
    throw new AppError('not_found', 'This image is gone.');
  }
  return reply.send(stored.body);
}

function allowOrigins(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
}
