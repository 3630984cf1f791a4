import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { type Authenticator, assertMayUse } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../std/clock.ts';
import { apiPrefix, type Route } from './api.ts';
import { bearerToken } from './bearer.ts';
import type { ApiRequest, Endpoint } from './endpoint.ts';
import { assertJson } from './json-body.ts';
import { problems } from './problems.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limit.ts';
import { named, problemSchema } from './schemas.ts';

// A client with a wrong key is told so this often before it is told to slow down. Right keys never wait for it.
const wrongKeys: RateLimit = { perSecond: 1, burst: 100 };

export interface RegisterDeps {
  authenticator: Authenticator;
  clock: Clock;
  rateLimit: RateLimit | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
    gone: AbortSignal;
  }
}

/** Puts the route table before the clients: key, model, content type, body, in the documented order. */
export function registerApi(server: FastifyInstance, routes: readonly Route[], deps: RegisterDeps): void {
  const wrong = createRateLimiter(wrongKeys, deps.clock);
  const limiter = deps.rateLimit && createRateLimiter(deps.rateLimit, deps.clock);
  for (const { method, path, access, endpoint } of routes) {
    server.route({
      method,
      url: apiPrefix + path,
      exposeHeadRoute: false,
      schema: schemaOf(endpoint),
      async onRequest(request, reply) {
        request.apiKey = await authenticate(deps.authenticator, wrong, request);
        if (limiter && deps.rateLimit) limit(limiter, deps.rateLimit, request.apiKey, reply);
        if (access !== 'any key') assertMayUse(request.apiKey, access);
        if (endpoint.body) assertJson(request);
      },
      ...(endpoint.prepare && {
        preValidation: async (request: FastifyRequest) => endpoint.prepare?.(request.body),
      }),
      handler: (request, reply) => endpoint.handle(withGone(request), reply),
    });
  }
}

async function authenticate(
  authenticator: Authenticator,
  wrong: RateLimiter,
  request: FastifyRequest,
): Promise<ApiKey> {
  try {
    return await authenticator.authenticate(bearerToken(request));
  } catch (error) {
    if (!(error instanceof AppError) || !['key_missing', 'key_invalid'].includes(error.code)) throw error;
    const { allowed, resetSeconds } = wrong.take(request.ip);
    if (allowed) throw error;
    throw new AppError(
      'too_many_requests',
      'Too many requests with wrong keys came from your address. Wait before trying another.',
      {
        retryAfterSeconds: resetSeconds,
      },
    );
  }
}

/** `RateLimit` fields as in the IETF draft that Cloudflare and others follow. */
function limit(
  limiter: RateLimiter,
  { perSecond, burst }: RateLimit,
  key: ApiKey,
  reply: FastifyReply,
): void {
  const { allowed, remaining, resetSeconds } = limiter.take(key.id);
  reply.header('ratelimit-policy', `"key";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`);
  reply.header('ratelimit', `"key";r=${remaining};t=${resetSeconds}`);
  if (allowed) return;
  throw new AppError(
    'too_many_requests',
    `This key may send ${perSecond} requests a second. Wait and send the request again.`,
    {
      retryAfterSeconds: Math.max(1, resetSeconds),
    },
  );
}

/** The signal costs a listener, so it is only made when a handler asks for it. */
function withGone(request: FastifyRequest): ApiRequest {
  let gone: AbortSignal | undefined;
  Object.defineProperty(request, 'gone', {
    get() {
      if (!gone) {
        const controller = new AbortController();
        request.raw.socket.once('close', () => controller.abort(new Error('the client has gone')));
        gone = controller.signal;
      }
      return gone;
    },
  });
  return request as unknown as ApiRequest; // the schemas were applied before the handler runs
}

const statuses = [
  'key_missing',
  'key_invalid',
  'too_many_requests',
  'internal',
  'database_unavailable',
] as const;

function schemaOf(endpoint: Endpoint): FastifySchema {
  const { summary, description, tag, body, params, query, reply, status, errors, headers, replyHeaders } =
    endpoint;
  const codes = [...statuses, ...errors, ...(body ? (['invalid_request'] as const) : [])];
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  const failures = [...byStatus].map(([failure, list]) => [
    failure,
    {
      description: list.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      content: { 'application/problem+json': { schema: named(problemSchema) } },
    },
  ]);
  return {
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: [{ key: [] }],
    ...(body && { body }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    response: {
      [status]: {
        description: 'Success.',
        ...(replyHeaders && { headers: documentHeaders(replyHeaders) }),
        content: { 'application/json': { schema: reply } },
      },
      ...Object.fromEntries(failures),
    },
    ...(headers && { 'x-headers': headers }),
  } as FastifySchema;
}

function documentHeaders(headers: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { type: 'string', description }]),
  );
}
