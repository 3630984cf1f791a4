import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../../base/brand/brand.ts';
import { isForPeople } from '../../../base/http/request-headers.ts';
import { hidden } from '../../../base/http/schemas.ts';
import { makeDocument } from '../../../base/http/send-document.ts';
import { loadOnce } from '../../../base/std/memory/load-once.ts';
import { AppError } from '../../../errors.ts';
import type { Description } from '../openapi/register-openapi.ts';
import type { Reference } from '../reference/document.ts';
import { cachePages, htmlType, type PublicUrls, sendPage } from '../reference/send-page.ts';
import type { Section } from './contents.ts';

const textType = 'text/plain; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

interface DocsDeps {
  description: () => Promise<Description>;
  brand: { now(): Brand };
  urls: PublicUrls;
  sections: readonly Section[];
}

type Exchange = [FastifyRequest, FastifyReply];

/** Reads the Markdown on the first request, and renders each page again if the brand changes. */
export function registerDocs(server: FastifyInstance, deps: DocsDeps): void {
  const { urls, sections } = deps;
  const site = loadOnce(() => loadSite(sections));
  const pageOf = cachePages(async () => [deps.brand.now()] as const);
  const send = async (
    [request, reply]: Exchange,
    key: string,
    type: string,
    make: (site: Site, brand: Brand) => string,
  ) => {
    const document = await pageOf(key, type, async ([brand]) => make(await site(), brand));
    return sendPage(request, reply, document, urls);
  };

  server.get('/docs', hidden, (...exchange) =>
    send(exchange, '/docs', htmlType, ({ docs, listPage }, brand) => listPage(docs, brand)),
  );
  server.get('/docs/', hidden, (_request, reply) => reply.redirect('/docs', 308));
  for (const { id } of sections)
    server.get(`/docs/${id}`, hidden, (...exchange) =>
      send(exchange, id, htmlType, ({ docs, listPage }, brand) => listPage(docs, brand, id)),
    );
  server.get<{ Params: { '*': string } }>('/docs/*', hidden, async (request, reply) => {
    const [asked = '', ending] = request.params['*'].split(/(\.md)$/);
    const page = (await site()).docs.pages.find(({ path }) => path === `/docs/${asked}`);
    if (!page) {
      if (ending || !isForPeople(request)) throw noPage();
      return send([request, reply.code(404)], 'missing', htmlType, ({ docs, missingPage }, brand) =>
        missingPage(docs, brand),
      );
    }
    return ending
      ? send([request, reply], `${page.path}.md`, markdownType, ({ docs, servedMarkdown }) =>
          servedMarkdown(page, docs, urls.publicUrl),
        )
      : send([request, reply], page.path, htmlType, ({ docs, documentPage }, brand) =>
          documentPage(page, docs, brand),
        );
  });
  server.get<{ Params: { name: string } }>('/docs/panel/:name', hidden, async (request, reply) => {
    const image = (await site()).images.get(`docs/panel/${request.params.name}`);
    if (!image) throw new AppError('not_found', 'There is no such image.');
    return sendPage(request, reply, image, urls);
  });
  server.get('/llms-full.txt', hidden, (...exchange) =>
    send(exchange, 'llms-full', textType, ({ docs, wholeMarkdown }) => wholeMarkdown(docs, urls.publicUrl)),
  );
  registerDescribed(server, deps, site);
}

/** Registers the pages that depend on the API's description. They are rendered again after the models change. */
function registerDescribed(
  server: FastifyInstance,
  { description, urls }: DocsDeps,
  site: () => Promise<Site>,
): void {
  const pageOf = cachePages(async () => [await description()] as const);
  const send = async (
    [request, reply]: Exchange,
    key: string,
    type: string,
    make: (site: Site, reference: Reference) => string,
  ) => {
    const document = await pageOf(key, type, async ([described]) => {
      const { readReference } = await import('../reference/document.ts');
      return make(await site(), readReference(described));
    });
    return sendPage(request, reply, document, urls);
  };
  server.get('/docs/search.json', hidden, (...exchange) =>
    send(exchange, 'search', 'application/json; charset=utf-8', ({ docs, searchEntries }, reference) =>
      JSON.stringify(searchEntries(docs.pages, reference)),
    ),
  );
  server.get('/llms.txt', hidden, (...exchange) =>
    send(exchange, 'llms', textType, ({ docs, llmsText, linksToPages }, reference) =>
      llmsText(reference, urls.publicUrl, linksToPages(docs, urls.publicUrl)),
    ),
  );
}

type Site = Awaited<ReturnType<typeof loadSite>>;

/** Runs on the first request, because most processes never serve the site. */
async function loadSite(sections: readonly Section[]) {
  const { readDocs, readImage, shownImages } = await import('./read-docs.ts');
  const { documentPage, listPage, missingPage } = await import('./site-page.ts');
  const { linksToPages, servedMarkdown, wholeMarkdown } = await import('./served-markdown.ts');
  const { searchEntries } = await import('./search-entries.ts');
  const { llmsText } = await import('../reference/llms.ts');
  const docs = await readDocs(sections);
  const read = [...shownImages(docs)].map(
    async (file) => [file, makeDocument('image/png', await readImage(file))] as const,
  );
  return {
    ...{ docs, images: new Map(await Promise.all(read)), documentPage, listPage, missingPage },
    ...{ linksToPages, servedMarkdown, wholeMarkdown, searchEntries, llmsText },
  };
}

function noPage(): AppError {
  return new AppError('not_found', 'There is no such page. /docs lists all pages.');
}
