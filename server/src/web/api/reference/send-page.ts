import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Document, makeDocument, sendDocument } from '../../../base/http/send-document.ts';
import type { Description } from '../openapi/register-openapi.ts';

/** Where clients reach the server, and its pictures. */
export interface Place {
  publicUrl: string;
  cdnUrl: string;
}

export const htmlType = 'text/html; charset=utf-8';

// No inline scripts and nothing from other origins: even a mistake in the escaping could not run or load
// anything.
// Pictures are those of this server, wherever it says that they are; calls that readers try go to it alone.
const policyFor = (images: string) =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends a page of the documentation, or a file that it loads. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Document,
  place: Place,
): FastifyReply {
  const [own, images] = [place.publicUrl, place.cdnUrl].map((url) => new URL(url).origin);
  reply
    .header('content-security-policy', policyFor(images === own ? '' : ` ${images}`))
    .header('referrer-policy', 'no-referrer');
  return sendDocument(request, reply, document);
}

/** Makes each page once, and again when the API is described anew: its models changed. */
export function cachePages(description: () => Promise<Description>) {
  const made = new WeakMap<Description, Map<string, Document>>();
  return async (
    key: string,
    type: string,
    make: (described: Description) => Promise<string>,
  ): Promise<Document> => {
    const described = await description();
    const pages = made.get(described) ?? new Map<string, Document>();
    made.set(described, pages);
    const document = pages.get(key) ?? makeDocument(type, await make(described));
    pages.set(key, document);
    return document;
  };
}
