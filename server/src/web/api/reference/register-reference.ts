import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Document, makeDocument, sendDocument } from '../../../base/http/send-document.ts';
import { AppError, type ErrorCode, errorCodes } from '../../../errors.ts';
import type { Description } from '../openapi/register-openapi.ts';

// No inline scripts and nothing from other origins: even a mistake in the escaping could not run or load
// anything.
// Pictures are those of this server, wherever it says that they are; calls that readers try go to it alone.
const policyFor = (images: string) =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const hidden = { schema: { hide: true } as object };

const styles = ['base', 'navigation', 'layout', 'fields', 'code', 'errors', 'try'].map(
  (name) => `style/${name}.css`,
);

/** Made by the built-in image generator. */
const pictures = ['lighthouse.webp', 'fox.webp'];

const files: Record<string, { type: string; parts: string[] }> = {
  'style.css': { type: 'text/css; charset=utf-8', parts: styles },
  'script.js': { type: 'text/javascript; charset=utf-8', parts: ['script.js'] },
  'try.js': { type: 'text/javascript; charset=utf-8', parts: ['try.js'] },
  'icon.svg': { type: 'image/svg+xml', parts: ['icon.svg'] },
};

/** Where clients reach the server, and its pictures. */
interface Place {
  publicUrl: string;
  cdnUrl: string;
}

/** Serves the reference under `/docs`, from the OpenAPI document. Each page is made on first request. */
export function registerReference(
  server: FastifyInstance,
  description: () => Promise<Description>,
  place: Place,
): void {
  const made = new WeakMap<Description, Map<string, Document>>();
  // Loaded on first request: the pages are a tenth of the memory of an idle server.
  const loadPages = async (described: Description) => {
    const { readReference } = await import('./document.ts');
    const { errorListPage, errorPage } = await import('./error-pages.ts');
    const { llmsText } = await import('./llms.ts');
    const { overviewPage } = await import('./overview.ts');
    return { errorListPage, errorPage, llmsText, overviewPage, reference: readReference(described) };
  };
  type Pages = Awaited<ReturnType<typeof loadPages>>;
  const sendPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    make: (pages: Pages) => string,
    type = 'text/html; charset=utf-8',
  ) => {
    const described = await description();
    const pages = made.get(described) ?? new Map<string, Document>();
    made.set(described, pages);
    const document = pages.get(path) ?? makeDocument(type, make(await loadPages(described)));
    pages.set(path, document);
    return send(request, reply, document, place);
  };

  server.get('/docs', hidden, (request, reply) =>
    sendPage(request, reply, '', ({ overviewPage, reference }) => overviewPage(reference)),
  );
  server.get('/docs/', hidden, (_request, reply) => reply.redirect('/docs', 308));
  server.get('/docs/errors', hidden, (request, reply) =>
    sendPage(request, reply, 'errors', ({ errorListPage, reference }) => errorListPage(reference)),
  );
  server.get<{ Params: { code: string } }>('/docs/errors/:code', hidden, (request, reply) => {
    const { code } = request.params;
    if (!isErrorCode(code))
      throw new AppError('not_found', 'There is no such error code. All of them are at /docs/errors.');
    return sendPage(request, reply, `errors/${code}`, ({ errorPage, reference }) =>
      errorPage(code, reference),
    );
  });
  server.get('/llms.txt', hidden, (request, reply) =>
    sendPage(
      request,
      reply,
      'llms',
      ({ llmsText, reference }) => llmsText(reference, place.publicUrl),
      'text/plain; charset=utf-8',
    ),
  );
  for (const name of pictures) {
    const document = makeDocument('image/webp', readFileSync(join(import.meta.dirname, 'pictures', name)));
    server.get(`/docs/${name}`, hidden, (request, reply) => send(request, reply, document, place));
  }
  for (const [name, { type, parts }] of Object.entries(files)) {
    const document = makeDocument(type, parts.map(readPart).join('\n'));
    server.get(`/docs/${name}`, hidden, (request, reply) => send(request, reply, document, place));
  }
}

function send(request: FastifyRequest, reply: FastifyReply, document: Document, place: Place): FastifyReply {
  const [own, images] = [place.publicUrl, place.cdnUrl].map((url) => new URL(url).origin);
  reply
    .header('content-security-policy', policyFor(images === own ? '' : ` ${images}`))
    .header('referrer-policy', 'no-referrer');
  return sendDocument(request, reply, document);
}

function readPart(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code); // `includes` of a tuple takes only its own members
}
