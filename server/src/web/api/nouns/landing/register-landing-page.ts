import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasSessionCookie } from '../../../../accounts/sign-in/sessions.ts';
import type { Brand } from '../../../../base/brand/brand.ts';
import type { Database } from '../../../../base/db/database.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { AppError } from '../../../../errors.ts';
import { openShare } from '../../../../jobs/shares/share-images.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import { fileOf } from '../jobs/share-pages.ts';
import { type Example, landingPage } from './landing-page.ts';

interface LandingDeps {
  database: Database;
  clock: Clock;
  brand: { now(): Brand };
  catalogue: { list(): readonly Model[] };
  config: { currency: string; statusPage: boolean };
  /** The token of a public link to images. */
  examples: string | null;
  place: { publicUrl: string };
  /** The panel. */
  sendPanel(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

/** Strangers may ask as often as they like: what is shared is read this often. */
const keptMs = 15_000;
const mostExamples = 4;

/** `GET /`: a page for those who are not signed in; the panel for all others. */
export function registerLandingPage(server: FastifyInstance, deps: LandingDeps): void {
  const { brand, catalogue, config, place } = deps;
  const readExamples = createExamples(deps);
  server.get('/', { schema: { hide: true } as object }, async (request, reply) => {
    if (hasSessionCookie(request.headers.cookie)) return deps.sendPanel(request, reply);
    const page = landingPage({
      ...{ brand: brand.now(), currency: config.currency, publicUrl: place.publicUrl },
      ...{ models: catalogue.list(), examples: await readExamples(), hasStatus: config.statusPage },
    });
    return reply
      .header('vary', 'cookie')
      .header('cache-control', 'private, no-cache')
      .header('referrer-policy', 'no-referrer')
      .header(
        'content-security-policy',
        "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .type('text/html; charset=utf-8')
      .send(page);
  });
}

/** Images behind the public link that an operator chose; none where it has ended, and two that were drawn here without one. */
function createExamples({ database, clock, examples: token }: LandingDeps) {
  if (token === null) return async () => drawn;
  let shown: Promise<Example[]> | undefined;
  let readAt = 0;
  return (): Promise<Example[]> => {
    if (shown && clock.nowMs() - readAt < keptMs) return shown;
    readAt = clock.nowMs();
    shown = readShared({ database, clock }, token).catch((error: unknown) => {
      if (error instanceof AppError) return []; // it was revoked, or has ended
      shown = undefined;
      throw error;
    });
    return shown;
  };
}

async function readShared(deps: Pick<LandingDeps, 'database' | 'clock'>, token: string): Promise<Example[]> {
  const { share, jobs } = await openShare(deps, token);
  return jobs.slice(0, mostExamples).map((job) => ({
    url: `/shared/${token}/${fileOf(job)}?w=768`,
    alt: share.withPrompts ? job.prompt : '',
    ...{ width: job.image?.width ?? 0, height: job.image?.height ?? 0 },
  }));
}

const drawn: Example[] = [
  { url: '/docs/lighthouse.webp', alt: 'A lighthouse at dusk', width: 960, height: 536 },
  { url: '/docs/fox.webp', alt: 'A red fox in the snow', width: 960, height: 536 },
];
