import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../../../accounts/people/language.ts';
import { hasSessionCookie } from '../../../../accounts/sign-in/sessions.ts';
import type { SignUpSettings } from '../../../../accounts/sign-up/sign-up-settings.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { type Document, makeDocument, sendDocument } from '../../../../base/http/send-document.ts';
import type { Log } from '../../../../base/std/log.ts';
import { AppError } from '../../../../errors.ts';
import { renditionType } from '../../../../images/renditions.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import { type Reader, readerOf } from '../../page-reader.ts';
import type { ShareDeps } from '../jobs/share-pages.ts';
import { createExamples, type LandingExamples } from './landing-examples.ts';
import { type Example, landingPage } from './landing-page.ts';

interface LandingDeps extends ShareDeps {
  log: Log;
  catalogue: { list(): readonly Model[] };
  config: { currency: string; statusPage: boolean; signUp: Pick<SignUpSettings, 'mode'> | null };
  examples: string | null;
  urls: { publicUrl: string };
  sendPanel(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

export function registerLandingPage(server: FastifyInstance, deps: LandingDeps): void {
  const examples = deps.examples === null ? drawn : createExamples(deps, deps.examples);
  const pageOf = keepPage(deps);
  server.get('/', hidden, async (request, reply) => {
    if (hasSessionCookie(request.headers.cookie)) return deps.sendPanel(request, reply);
    reply
      .header('vary', 'cookie')
      .header('referrer-policy', 'no-referrer')
      .header(
        'content-security-policy',
        "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    const reader = readerOf(request, reply, deps.brand.now());
    return sendDocument(request, reply, pageOf(reader, await examples.list()));
  });
  server.get('/landing/:file', hidden, async (request, reply) => {
    const content = await examples.contentOf(request.url.split('?', 1)[0] ?? '');
    if (!content) throw new AppError('not_found', 'There is no such example; it may have been removed.');
    return reply
      .header('cache-control', `public, max-age=${maxAge}`)
      .header('content-security-policy', "default-src 'none'")
      .type(renditionType)
      .send(content);
  });
}

/** The seconds for which browsers may cache an example, even if its share ends in the meantime. */
const maxAge = 3_600;

/** Keeps the page of each language until the brand, the models or the examples change. */
function keepPage({ catalogue, config, urls }: LandingDeps) {
  const kept = new Map<Language, { of: readonly unknown[]; page: Document }>();
  return (reader: Reader, examples: readonly Example[]): Document => {
    const models = catalogue.list();
    const of = [reader.brand, models, examples];
    const known = kept.get(reader.language);
    if (known?.of.every((one, index) => one === of[index])) return known.page;
    const { currency, statusPage: hasStatus, signUp } = config;
    const text = landingPage(reader, {
      ...{ models, examples, currency, hasStatus },
      ...{ publicUrl: urls.publicUrl, hasSignUp: signUp?.mode === 'open' },
    });
    const page = makeDocument('text/html; charset=utf-8', text);
    kept.set(reader.language, { of, page });
    return page;
  };
}

const drawnHere: readonly Example[] = [
  { url: '/docs/lighthouse.webp', alt: (say) => say('A lighthouse at dusk'), width: 960, height: 536 },
  { url: '/docs/fox.webp', alt: (say) => say('A red fox in the snow'), width: 960, height: 536 },
];
const drawn: LandingExamples = { list: async () => drawnHere, contentOf: async () => undefined };
