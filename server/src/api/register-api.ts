import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RequestPayload,
  RouteOptions,
} from 'fastify';
import { assertMayUse } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { bearerToken } from '../http/bearer.ts';
import type { BodyBudget } from '../http/bodies/body-budget.ts';
import { assertJson, countEscapesAsBytes, maxEscapedBytes } from '../http/json-body.ts';
import { cursorParameter, type ListCursors, openList } from '../http/list-cursors.ts';
import { problems } from '../http/problems.ts';
import { closedQuery, named, problemSchema } from '../http/schemas.ts';
import { toAppError } from '../http/send-problem.ts';
import { assertFile, passBodiesOn } from '../http/sent-file.ts';
import { assertQuery } from '../http/validation-errors.ts';
import {
  type ApiCall,
  type ApiRequest,
  apiPrefix,
  type CallDescription,
  type LargeBody,
  type PlacedCall,
} from './api-call.ts';
import type { Entrance } from './entrance.ts';
import { findNamedModel } from './named-model.ts';

export interface RegisterDeps {
  catalogue: Catalogue;
  entrance: Entrance;
  cursors: ListCursors;
  /** For calls with large bodies. */
  bodies: BodyBudget;
}

/**
 * Registers the calls, and checks key, model, content type and body of each request, in the documented order.
 */
export function registerApi(server: FastifyInstance, calls: readonly PlacedCall[], deps: RegisterDeps): void {
  const streaming = new Set<RouteOptions>();
  for (const { method, path, access, call } of calls) {
    const handle = withCursors(call, deps);
    const route: RouteOptions = {
      method,
      url: apiPrefix + path,
      schema: call.content ? withoutBody(schemaOf(call)) : schemaOf(call),
      // Callbacks, because a promise for each hook is a tenth of the cost of a poll.
      onRequest(request, reply, done) {
        reply.header('cache-control', 'no-store');
        const enter = (key: ApiKey) => {
          if (access === 'its model') {
            request.model = findNamedModel(request, deps.catalogue);
            assertMayUse(key, request.model.id);
          }
          if (call.body || call.bodyOf) (call.large?.assertType ?? assertJson)(request);
          if (call.content) assertFile(request);
          assertQuery(request);
          done();
        };
        const refuse = (error: unknown) => done(error as Error); // only errors are thrown
        try {
          const key = deps.entrance.admit(request, reply, bearerToken, access !== 'any key');
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
        return handle(request as ApiRequest, reply);
      },
    };
    if (call.content) streaming.add(route);
    else if (call.large) server.register(takeLarge(route, call.large, deps));
    else server.route(route);
  }
  server.register(async (scope) => {
    passBodiesOn(scope);
    for (const route of streaming) scope.route(route);
  });
}

/** Other calls than lists are handled as they are: polls do without a promise. */
function withCursors(call: ApiCall, { cursors }: RegisterDeps): ApiCall['handle'] {
  const parameter = cursorParameter(call.query);
  if (!parameter) return (request, reply) => call.handle(request, reply);
  return async (request, reply) => {
    const { accountId } = request.apiKey;
    const seal = openList(cursors, request, { parameter, accountId, honours: call.honours });
    return seal(await call.handle(request, reply));
  };
}

/** The schema of a body that the handler reads is only documentation. */
function withoutBody({ body: _, ...schema }: FastifySchema): FastifySchema {
  return schema;
}

/** Its own scope, because parsers of bodies are those of a scope. */
function takeLarge(
  route: RouteOptions,
  { maxBytes, reader, assertType }: LargeBody,
  { bodies }: RegisterDeps,
): (scope: FastifyInstance) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: RequestPayload) =>
      bodies.read(request, payload, { maxBytes, reader: () => reader(request), assertType }),
    );
    scope.addHook('onResponse', (request, _reply, done) => {
      bodies.release(request);
      done();
    });
    scope.route(route);
  };
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

// Fastify reads a body only for calls that declare one.
const anyBody = {};

/** Every call with a key can answer these. */
const always = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'key_missing',
  'key_invalid',
  'invalid_request',
  'too_many_requests',
  'internal',
  'database_unavailable',
  'shutting_down',
] as const;
const ofTokens = ['token_forbidden', 'origin_refused'] as const;

const noContent = 204;

/** @param door what is answered to keys that may not make this call */
export function schemaOf(call: CallDescription, door: readonly ErrorCode[] = ofTokens): FastifySchema {
  const {
    operationId,
    summary,
    description,
    tag,
    body,
    bodyOf,
    content,
    params,
    query,
    reply,
    otherReplies = {},
    replyType = 'application/json',
    status,
    errors,
    headers,
    replyHeaders,
  } = call;
  const codes = [...always, ...door, ...errors];
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
    ...(content && { body: { content } }),
    ...(params && { params }),
    querystring: closedQuery(query),
    response: {
      [status]:
        status === noContent
          ? reply // Its type is null: a body without one has no content either.
          : {
              description: 'Success.',
              ...(replyHeaders && { headers: documentHeaders(replyHeaders) }),
              content: { [replyType]: { schema: reply } },
            },
      ...Object.fromEntries(
        Object.entries(otherReplies).map(([other, { description, schema }]) => [
          other,
          { description, content: { 'application/json': { schema } } },
        ]),
      ),
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
