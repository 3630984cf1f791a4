import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Brand } from '../../../../base/brand/brand.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { readerOf } from '../../page-reader.ts';
import { guard } from '../jobs/share-pages.ts';
import { createPublicStatus, type PublicStatusDeps } from './public-status.ts';
import { statusFeed } from './status-feed.ts';
import { statusPage } from './status-page.ts';

export function registerStatusPages(
  server: FastifyInstance,
  deps: PublicStatusDeps & { urls: { publicUrl: string }; brand: { now(): Brand } },
): void {
  const read = createPublicStatus(deps);
  server.get('/status', hidden, async (request, reply) => {
    const page = statusPage(readerOf(request, reply, deps.brand.now()), await read());
    guard(reply);
    return mayBeKept(reply).type('text/html; charset=utf-8').send(page);
  });
  server.get('/status.json', hidden, async (_request, reply) => mayBeKept(reply).send(await read()));
  server.get('/status.atom', hidden, async (_request, reply) => {
    const feed = statusFeed(await read(), deps.urls.publicUrl);
    return mayBeKept(reply).type('application/atom+xml; charset=utf-8').send(feed);
  });
}

function mayBeKept(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'public, max-age=15');
}
