import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../../base/brand/brand.ts';
import { hidden } from '../../../base/http/schemas.ts';
import { makeDocument } from '../../../base/http/send-document.ts';
import { AppError, type ErrorCode, errorCodes } from '../../../errors.ts';
import { docsSheet } from '../brand-parts.ts';
import type { Description } from '../openapi/register-openapi.ts';
import { cachePages, htmlType, type PublicUrls, sendPage } from './send-page.ts';

const styles = [
  'base',
  'navigation',
  'layout',
  'fields',
  'code',
  'run',
  'errors',
  'try',
  'documents',
  'search',
].map((name) => `style/${name}.css`);

const images = ['lighthouse.webp', 'fox.webp'];

const files: Record<string, { type: string; parts: string[] }> = {
  'style.css': { type: 'text/css; charset=utf-8', parts: styles },
  'script.js': { type: 'text/javascript; charset=utf-8', parts: ['scripts/script.js'] },
  'search.js': { type: 'text/javascript; charset=utf-8', parts: ['scripts/search.js'] },
  'run.js': { type: 'text/javascript; charset=utf-8', parts: ['scripts/answers.js', 'scripts/run.js'] },
  'try.js': { type: 'text/javascript; charset=utf-8', parts: ['scripts/try.js'] },
  'icon.svg': { type: 'image/svg+xml', parts: ['icon.svg'] },
};

interface ReferenceDeps {
  description: () => Promise<Description>;
  brand: { now(): Brand };
  urls: PublicUrls;
}

export function registerReference(
  server: FastifyInstance,
  { description, brand, urls }: ReferenceDeps,
): void {
  const pageOf = cachePages(async () => [await description(), brand.now()] as const);
  // The modules of the pages are loaded on the first request, because they take a tenth of an idle server's memory.
  const loadPages = async ([described, shown]: readonly [Description, Brand]) => {
    const { readReference } = await import('./document.ts');
    const { errorListPage, errorPage } = await import('./error-pages.ts');
    const { overviewPage } = await import('./overview.ts');
    return { errorListPage, errorPage, overviewPage, reference: readReference(described), brand: shown };
  };
  type Pages = Awaited<ReturnType<typeof loadPages>>;
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    make: (pages: Pages) => string,
  ) => {
    const document = await pageOf(path, htmlType, async (sources) => make(await loadPages(sources)));
    return sendPage(request, reply, document, urls);
  };

  server.get('/docs/reference', hidden, (request, reply) =>
    send(request, reply, '', ({ overviewPage, reference, brand }) => overviewPage(reference, brand)),
  );
  server.get('/docs/errors', hidden, (request, reply) =>
    send(request, reply, 'errors', ({ errorListPage, reference, brand }) => errorListPage(reference, brand)),
  );
  server.get<{ Params: { code: string } }>('/docs/errors/:code', hidden, (request, reply) => {
    const { code } = request.params;
    if (!isErrorCode(code))
      throw new AppError('not_found', 'There is no such error code. All of them are at /docs/errors.');
    return send(request, reply, `errors/${code}`, ({ errorPage, reference, brand }) =>
      errorPage(code, reference, brand),
    );
  });
  const sheetOf = cachePages(async () => [brand.now()] as const);
  server.get('/docs/brand.css', hidden, async (request, reply) =>
    sendPage(
      request,
      reply,
      await sheetOf('', 'text/css; charset=utf-8', async ([shown]) => docsSheet(shown)),
      urls,
    ),
  );
  for (const name of images) {
    const document = makeDocument('image/webp', readFileSync(join(import.meta.dirname, 'images', name)));
    server.get(`/docs/${name}`, hidden, (request, reply) => sendPage(request, reply, document, urls));
  }
  for (const [name, { type, parts }] of Object.entries(files)) {
    const document = makeDocument(type, parts.map(readPart).join('\n'));
    server.get(`/docs/${name}`, hidden, (request, reply) => sendPage(request, reply, document, urls));
  }
}

function readPart(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code); // `includes` of a tuple takes only its own members
}
