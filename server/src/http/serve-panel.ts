import { existsSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const builtPanel = resolve(import.meta.dirname, '../../../panel/dist');
const notBuilt = 'The panel is not built. Run "npm run build" in the repository and load this page again.\n';

/** Paths that are not pages: what is not there is `404`, in the words of the API. */
const otherPaths = /^\/(api|panel|images|docs|health[a-z]*|livez|readyz|metrics)(\/|$)/;
const yearMs = 365 * 24 * 60 * 60 * 1000;

/**
 * The pages of the panel: every path that is no file is the one page, whose script reads the path. Nothing is loaded
 * from elsewhere, nobody may frame it, and only scripts of the build run.
 */
export function createPages({
  imageOrigin,
  folder = builtPanel,
}: {
  imageOrigin(): string;
  folder?: string;
}): Pages {
  return {
    // Answers only when it is asked to, so that the words of the API for what is not there stay as they are.
    register: async (server) => {
      await server.register(files, { root: folder, serve: false, preCompressed: true, cacheControl: false });
    },
    send(request, reply) {
      const path = request.url.split('?', 1)[0] ?? '/';
      if (otherPaths.test(path)) return undefined;
      const wanted = isFile(path) ? path : 'index.html';
      if (wanted !== path && !isForPeople(path, request)) return undefined;
      const isThere = existsSync(join(folder, normalize(`/${wanted}`)));
      if (wanted === path && !isThere) return undefined;
      reply
        .header('content-security-policy', policyFor(imageOrigin()))
        .header('referrer-policy', 'no-referrer')
        .header('x-frame-options', 'DENY')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
      if (!isThere) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      return sendFile(wanted, reply.code(200));
    },
  };
}

export interface Pages {
  register(server: FastifyInstance): Promise<void>;
  /** Undefined for what is no page and no file of the build. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

function policyFor(imageOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${imageOrigin}`,
    `connect-src 'self' ${imageOrigin}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A program that leaves `/api/v1` out by mistake is told so instead of being sent a page. */
function isForPeople(path: string, { headers }: FastifyRequest): boolean {
  return path === '/' || (headers.accept ?? '').includes('text/html');
}

function isFile(path: string): boolean {
  return path.slice(path.lastIndexOf('/')).includes('.');
}

/** Names below `/assets` carry a hash of the content. */
function sendFile(path: string, reply: FastifyReply): FastifyReply {
  if (path.startsWith('/assets/'))
    return reply.sendFile(path, { maxAge: yearMs, immutable: true, cacheControl: true });
  return reply.header('cache-control', 'no-cache').sendFile(path);
}
