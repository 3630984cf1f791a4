import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, errorCodes } from '../errors.ts';
import { readReference } from './reference/document.ts';
import { errorListPage, errorPage } from './reference/error-pages.ts';
import { overviewPage } from './reference/overview.ts';

// Nothing inline and nothing from elsewhere: even a hole in the escaping could not run or load anything.
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const hidden = { exposeHeadRoute: true, schema: { hide: true } as object };

const files = {
  'style.css': 'text/css; charset=utf-8',
  'script.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The reference under `/docs`, from the OpenAPI document; each page is made when it is first asked for. */
export function registerReference(server: FastifyInstance): void {
  const documents = new Map<string, Document>();
  const made = (path: string, make: () => string) => {
    const document = documents.get(path) ?? documentOf(make());
    documents.set(path, document);
    return document;
  };
  const reference = once(() => readReference(server));
  const type = 'text/html; charset=utf-8';

  server.get('/docs', hidden, (request, reply) =>
    send(
      request,
      reply,
      type,
      made('', () => overviewPage(reference())),
    ),
  );
  server.get('/docs/', hidden, (_request, reply) => reply.redirect('/docs', 308));
  server.get('/docs/errors', hidden, (request, reply) =>
    send(
      request,
      reply,
      type,
      made('errors', () => errorListPage(reference())),
    ),
  );
  server.get<{ Params: { code: string } }>('/docs/errors/:code', hidden, (request, reply) => {
    const { code } = request.params;
    if (!isErrorCode(code))
      throw new AppError('not_found', 'There is no such error code. All of them are at /docs/errors.');
    return send(
      request,
      reply,
      type,
      made(code, () => errorPage(code, reference())),
    );
  });
  for (const [name, mediaType] of Object.entries(files)) {
    const document = documentOf(readFileSync(join(import.meta.dirname, 'reference', name), 'utf8'));
    server.get(`/docs/${name}`, hidden, (request, reply) => send(request, reply, mediaType, document));
  }
}

interface Document {
  text: string;
  etag: string;
}

function documentOf(text: string): Document {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { text, etag }: Document,
): FastifyReply {
  reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
    .header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(type).send(text);
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code); // `includes` of a tuple takes its own members only
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
