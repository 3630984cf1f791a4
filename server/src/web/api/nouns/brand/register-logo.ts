import type { FastifyInstance } from 'fastify';
import { type Brand, logoPath } from '../../../../base/brand/brand.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { AppError } from '../../../../errors.ts';

/** Each version of the logo has its own address, so that browsers can cache it. */
export function registerLogo(server: FastifyInstance, { brand }: { brand: { now(): Brand } }): void {
  server.get('/brand/:file', hidden, async (request, reply) => {
    const { logo } = brand.now();
    if (!logo || request.url.split('?', 1)[0] !== logoPath(logo))
      throw new AppError('not_found', 'This logo does not exist, or was removed.');
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', "default-src 'none'")
      .type('image/png')
      .send(logo.bytes);
  });
}
