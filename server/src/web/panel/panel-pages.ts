import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CaptchaKind } from '../../accounts/captcha/captcha-settings.ts';
import { type Brand, ownBrand } from '../../base/brand/brand.ts';
import { isForPeople } from '../../base/http/request-headers.ts';
import { brandPage } from './shown-brand.ts';

const builtPanel = resolve(import.meta.dirname, '../../../../panel/dist');
const notBuilt = 'The panel is not built. Run "npm run build" in the repository and load this page again.\n';

/** Paths that are not pages. An unknown path below these gets a `404` problem document. */
const otherPaths = /^\/(api|v1|v1beta|mcp|panel|images|docs|health[a-z]*|livez|readyz|metrics|shared)(\/|$)/;
/** Pages that read the session before anything else. */
const pagesOfSession = /^\/($|(accounts|operator|profile|authorize)(\/|$))/;
/** Pages with a form that a captcha vendor may protect from programs. */
const pagesOfCaptcha = /^\/(sign-up|forgotten-password)\/?$/;
const vendorSources: Partial<Record<CaptchaKind, VendorSources>> = {
  // https://developers.cloudflare.com/turnstile/reference/content-security-policy/
  turnstile: { origins: 'https://challenges.cloudflare.com', also: [] },
  // https://docs.hcaptcha.com/#content-security-policy-settings
  hcaptcha: { origins: 'https://hcaptcha.com https://*.hcaptcha.com', also: ['style-src', 'connect-src'] },
};
/** Makes browsers request the session before the page's scripts are loaded. */
const sessionAhead = '</panel/session>; rel=preload; as=fetch; crossorigin';
/** The build's placeholder for a response's nonce; see `panel/vite.config.ts`. */
const noncePlaceholder = 'NONCE-OF-THIS-ANSWER';
const nonceBytes = 16;
const yearMs = 365 * 24 * 60 * 60 * 1000;

/**
 * Every path that is not a file gets one HTML page, whose script routes by the path. The content security policy allows
 * only the build's scripts and styles, and styles with this response's nonce.
 */
export function createPages({
  imageOrigin,
  brand = () => ownBrand,
  captcha,
  folder = builtPanel,
}: {
  imageOrigin(): string;
  brand?: () => Brand;
  captcha?: CaptchaKind | undefined;
  folder?: string;
}): Pages {
  return {
    // Registers no route: the server calls `send` for paths without one.
    register: async (server) => {
      await server.register(files, { root: folder, serve: false, preCompressed: true, cacheControl: false });
    },
    send(request, reply) {
      const path = request.url.split('?', 1)[0] ?? '/';
      if (otherPaths.test(path)) return undefined;
      const wanted = isFile(path) ? path : 'index.html';
      if (wanted !== path && !getsPage(path, request)) return undefined;
      const isThere = existsSync(join(folder, normalize(`/${wanted}`)));
      if (wanted === path && !isThere) return undefined;
      if (!isThere) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      if (wanted !== 'index.html') return sendFile(wanted, reply.code(200));
      if (pagesOfSession.test(path)) reply.header('link', sessionAhead);
      const vendor = captcha && pagesOfCaptcha.test(path) ? vendorSources[captcha] : undefined;
      return sendPage(join(folder, wanted), { imageOrigin: imageOrigin(), vendor, brand: brand() }, reply);
    },
  };
}

export interface Pages {
  register(server: FastifyInstance): Promise<void>;
  /** Sends a page or a file of the build; undefined if the path is neither. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

interface VendorSources {
  origins: string;
  also: ('style-src' | 'connect-src')[];
}

function policyFor({ imageOrigin, vendor }: PageSources, nonce: string): string {
  const also = (of: VendorSources['also'][number]) => (vendor?.also.includes(of) ? ` ${vendor.origins}` : '');
  return [
    "default-src 'none'",
    `script-src 'self'${vendor ? ` ${vendor.origins}` : ''}`,
    ...(vendor ? [`frame-src ${vendor.origins}`] : []),
    `style-src 'self' 'nonce-${nonce}'${also('style-src')}`,
    `img-src 'self' data: blob: ${imageOrigin}`,
    `connect-src 'self' ${imageOrigin}${also('connect-src')}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether a request gets the page. Programs that forget `/api/v1` get an error instead. */
function getsPage(path: string, request: FastifyRequest): boolean {
  // FastMCP requests the sign-in page with */*, to check that it exists before showing it.
  const isLookedAt = path === '/authorize' && request.headers.accept?.includes('*/*');
  return path === '/' || isForPeople(request) || isLookedAt === true;
}

function isFile(path: string): boolean {
  return path.slice(path.lastIndexOf('/')).includes('.');
}

interface PageSources {
  imageOrigin: string;
  vendor: VendorSources | undefined;
}

/** Sends the page without caching, because a revalidated page would have another response's nonce. */
function sendPage(
  file: string,
  { brand, ...sources }: PageSources & { brand: Brand },
  reply: FastifyReply,
): FastifyReply {
  const nonce = randomBytes(nonceBytes).toString('base64');
  reply
    .header('content-security-policy', policyFor(sources, nonce))
    .header('referrer-policy', 'no-referrer')
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  const page = brandPage(readFileSync(file, 'utf8').replaceAll(noncePlaceholder, nonce), brand, nonce);
  return reply.code(200).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page);
}

/** The options for files that never change: no revalidation and no ranges. */
const nothingElse = { cacheControl: true, etag: false, lastModified: false, acceptRanges: false };

/**
 * Sends a file without the page's policy, which is half a kilobyte. Browsers may keep files below `/assets`, because
 * their names contain a hash of the content.
 */
function sendFile(path: string, reply: FastifyReply): FastifyReply {
  reply.header('content-security-policy', "default-src 'none'").header('referrer-policy', 'no-referrer');
  if (path.startsWith('/assets/'))
    return reply.sendFile(path, { maxAge: yearMs, immutable: true, ...nothingElse });
  return reply.header('cache-control', 'no-cache').sendFile(path);
}
