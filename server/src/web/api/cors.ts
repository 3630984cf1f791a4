import type { FastifyInstance } from 'fastify';

/**
 * Matches the paths that pages of other origins may call: those whose requests or answers carry a key. Images are open
 * to every page anyway, and the panel, where people grant access, is open to none.
 */
const openPaths =
  /^\/((api\/v1|v1|v1beta|oauth)\/|mcp([?]|$)|jobs\/[^/]+\/image([?]|$)|\.well-known\/oauth-)/;
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** The headers that pages may read in addition to the standard ones. */
const exposed = [
  'Location',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Darkroom-Job-Id',
  'WWW-Authenticate',
].join(', ');
// Two hours are the longest time for which browsers cache the answer to a preflight request.
const maxAgeSeconds = 7_200;

/** Opens the API to pages of these origins, but not with cookies, because the API accepts only keys. */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    if (!openPaths.test(request.raw.url ?? '')) return done();
    const { origin, ...headers } = request.headers;
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
    if (request.method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return done();
    reply
      .header('access-control-allow-methods', methods)
      // Allows any header, because client libraries send additional ones, which the server ignores.
      .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '')
      .header('access-control-max-age', maxAgeSeconds)
      .header('vary', 'Origin, Access-Control-Request-Headers')
      .code(204)
      .send();
  });
}
