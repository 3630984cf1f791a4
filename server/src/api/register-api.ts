import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RequestPayload } from 'fastify';
import { type Authenticator, assertMayUse } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import { AppError } from '../errors.ts';
import { bearerToken } from '../http/bearer.ts';
import { assertJson, countEscapesAsBytes, maxEscapedBytes } from '../http/json-body.ts';
import { problems } from '../http/problems.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from '../http/rate-limit.ts';
import { named, problemSchema } from '../http/schemas.ts';
import { toAppError } from '../http/send-problem.ts';
import type { Clock } from '../std/clock.ts';
import { networkOf } from '../std/network-of.ts';
import { type ApiCall, type ApiRequest, apiPrefix, type PlacedCall } from './api-call.ts';
import { findNamedModel } from './named-model.ts';

export interface RegisterDeps {
  catalogue: Catalogue;
  authenticator: Authenticator;
  clock: Clock;
  rateLimit: RateLimit | null;
  /** Valid keys never wait for it. */
  wrongKeyLimit: RateLimit | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
  }
}

/**
 * Registers the calls, and checks key, model, content type and body of each request, in the documented order.
 */
export function registerApi(server: FastifyInstance, calls: readonly PlacedCall[], deps: RegisterDeps): void {
  const wrong = deps.wrongKeyLimit && createRateLimiter(deps.wrongKeyLimit, deps.clock);
  const limiter = deps.rateLimit && createRateLimiter(deps.rateLimit, deps.clock);
  for (const { method, path, access, call } of calls) {
    server.route({
      method,
      url: apiPrefix + path,
      schema: schemaOf(call),
      // Callbacks, because a promise for each hook is a tenth of the cost of a poll.
      onRequest(request, reply, done) {
        reply.header('cache-control', 'no-store');
        const enter = (key: ApiKey) => {
          request.apiKey = key;
          if (limiter && deps.rateLimit) limit(limiter, deps.rateLimit, key, reply);
          if (access === 'its model') {
            request.model = findNamedModel(request, deps.catalogue);
            assertMayUse(key, request.model.id);
          }
          if (call.body || call.bodyOf) assertJson(request);
          done();
        };
        const refuse = (error: unknown) => done(wrong ? slowDown(error, wrong, request) : (error as Error));
        try {
          const key = deps.authenticator.authenticate(bearerToken(request));
          if (key instanceof Promise) key.then(enter).catch(refuse);
          else enter(key);
        } catch (error) {
          refuse(error);
        }
      },
      ...(call.takesEscapes && {
        bodyLimit: maxEscapedBytes,
        preParsing(request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload, done) {
          countEscapesAsBytes(request, payload);
          done(null, payload);
        },
      }),
      ...(call.prepare && {
        preValidation(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
          call.prepare?.(request.body);
          done();
        },
      }),
      ...(call.mistakes && { attachValidation: true }),
      handler: (request, reply) => {
        if (call.bodyOf) checkBody(request, call.bodyOf(request));
        if (call.mistakes) assertNone(request, call.mistakes(request));
        return call.handle(request as ApiRequest, reply);
      },
    });
  }
}

/** Checks a body whose schema depends on the request, as the framework checks the others. */
function checkBody(request: FastifyRequest, schema: object): void {
  const validate = request.compileValidationSchema(schema as Record<string, unknown>, 'body');
  if (validate(request.body)) return;
  const error = new Error('the body is not valid');
  request.validationError = Object.assign(error, {
    validation: validate.errors ?? [],
    validationContext: 'body',
  });
}

/** Answers all mistakes of a request at once. */
function assertNone({ validationError }: FastifyRequest, mistakes: readonly AppError[]): void {
  const all = validationError ? [toAppError(validationError), ...mistakes] : mistakes;
  const [first] = all;
  if (!first) return;
  if (all.length === 1) throw first;
  const errors = all.flatMap(({ details }) => details.errors ?? []);
  const detail = `${errors.length} parts of the request are not valid; "errors" names each.`;
  throw new AppError('invalid_request', detail, { errors });
}

/** Tells a client that tries many wrong keys to wait. */
function slowDown(error: unknown, wrong: RateLimiter, request: FastifyRequest): Error {
  if (!(error instanceof AppError)) return error as Error; // only errors are thrown
  if (!['key_missing', 'key_invalid'].includes(error.code)) return error;
  const { allowed, resetSeconds } = wrong.take(networkOf(request.clientAddress));
  if (allowed) return error;
  const detail = 'Too many requests with wrong keys came from your address. Wait before trying another.';
  return new AppError('too_many_requests', detail, { retryAfterSeconds: resetSeconds });
}

/** `RateLimit` headers as in the IETF draft that Cloudflare and others follow. */
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

// Fastify reads a body only for calls that declare one.
const anyBody = {};

const statuses = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'key_missing',
  'key_invalid',
  'too_many_requests',
  'internal',
  'database_unavailable',
  'shutting_down',
] as const;

export function schemaOf(call: ApiCall): FastifySchema {
  const {
    operationId,
    summary,
    description,
    tag,
    body,
    bodyOf,
    params,
    query,
    reply,
    status,
    errors,
    headers,
    replyHeaders,
  } = call;
  const codes = [...statuses, ...errors, ...(body || bodyOf ? (['invalid_request'] as const) : [])];
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  const failures = [...byStatus].map(([failure, list]) => [
    failure,
    {
      description: list.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      content: { 'application/problem+json': { schema: named(problemSchema) } },
    },
  ]);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: [{ key: [] }],
    ...(body && { body }),
    ...(bodyOf && { body: anyBody, hide: true }),
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
