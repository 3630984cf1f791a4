import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Document, makeDocument, sendDocument } from '../../../base/http/send-document.ts';

export interface PublicUrls {
  publicUrl: string;
  cdnUrl: string;
}

export const htmlType = 'text/html; charset=utf-8';

// Forbids inline scripts and other origins, except the CDN's address for images.
const policyFor = (images: string) =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Document,
  urls: PublicUrls,
): FastifyReply {
  const [own, images] = [urls.publicUrl, urls.cdnUrl].map((url) => new URL(url).origin);
  reply
    .header('content-security-policy', policyFor(images === own ? '' : ` ${images}`))
    .header('referrer-policy', 'no-referrer');
  return sendDocument(request, reply, document);
}

/** Caches pages. A page is built again if one of its sources is replaced. */
export function cachePages<Sources extends readonly object[]>(read: () => Promise<Sources>) {
  let kept: { of: Sources; pages: Map<string, Document> } | undefined;
  return async (
    key: string,
    type: string,
    make: (sources: Sources) => Promise<string>,
  ): Promise<Document> => {
    const of = await read();
    if (!kept?.of.every((source, index) => source === of[index])) kept = { of, pages: new Map() };
    const { pages } = kept;
    const document = pages.get(key) ?? makeDocument(type, await make(of));
    pages.set(key, document);
    return document;
  };
}
