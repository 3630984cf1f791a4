import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RequestPayload,
  RouteOptions,
} from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { BodyBudget } from '../../base/http/bodies/body-budget.ts';
import { assertJson, countEscapesAsBytes, maxEscapedBytes, mayBeLeftOut } from '../../base/http/json-body.ts';
import { type KeptAnswers, refuseIdempotencyKey } from '../../base/http/kept-answers/keep-answers.ts';
import { type ListCursors, openList } from '../../base/http/list-cursors.ts';
import { toAppError } from '../../base/http/send-problem.ts';
import { assertFile, passBodiesOn } from '../../base/http/sent-file.ts';
import { assertQuery } from '../../base/http/validation-errors.ts';
import { readId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import type { LargeBody } from './api-call.ts';

export interface RegisterDeps {
  cursors: ListCursors;
  answers: KeptAnswers;
  bodies: BodyBudget;
}

/** A call with its full path. `ApiCall` describes the fields that have no comment here. */
export interface BoundCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  schema: FastifySchema;
  body?: TSchema | undefined;
  bodyOf?: ((request: FastifyRequest) => TSchema) | undefined;
  query?: TObject | undefined;
  takesFile?: boolean | undefined;
  large?: LargeBody | undefined;
  takesEscapes?: boolean | undefined;
  bodyLimit?: number | undefined;
  maxValues?: number | undefined;
  prepare?: ((body: unknown) => void) | undefined;
  mistakes?: ((request: FastifyRequest) => AppError[]) | undefined;
  /** Finds the account of a list whose path does not name it. */
  listOf?: ((request: FastifyRequest) => string) | undefined;
  honours?: ((text: string) => boolean) | undefined;
  formerNames?: Readonly<Record<string, string>> | undefined;
  idempotency?: 'handled' | { keptFor: (request: FastifyRequest) => string } | undefined;
  locate?: ((request: FastifyRequest, answer: unknown) => string) | undefined;
  /** Runs before the body is read. Returns a promise only if it has to wait. @throws AppError */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> | undefined;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** A request's caller, content type, query and body are checked in this order. */
export function registerCalls(
  server: FastifyInstance,
  calls: readonly BoundCall[],
  deps: RegisterDeps,
): void {
  const streaming: RouteOptions[] = [];
  for (const call of calls) {
    const route = routeOf(call, deps);
    if (call.takesFile) streaming.push(route);
    else if (call.large) server.register(takeLarge(route, call.large, deps));
    else server.route(route);
  }
  if (streaming.length === 0) return;
  server.register(async (scope) => {
    passBodiesOn(scope);
    for (const route of streaming) scope.route(route);
  });
}

const namesId = /_id$|^(account|person|scope)$/;

/** Writes ids in lowercase, because only PostgreSQL would find uppercase ids. */
function lowerIds(named: Record<string, unknown>): void {
  for (const name in named) {
    const text = named[name];
    const id = namesId.test(name) && typeof text === 'string' ? readId(text) : undefined;
    if (id !== undefined) named[name] = id;
  }
}

/** Gives parameters their current names. If a query has both names, the former counts as unknown and is refused. */
function rename(query: Record<string, unknown>, formerNames: Readonly<Record<string, string>>): void {
  for (const [former, name] of Object.entries(formerNames)) {
    if (query[former] === undefined || query[name] !== undefined) continue;
    query[name] = query[former];
    delete query[former];
  }
}

function routeOf(call: BoundCall, deps: RegisterDeps): RouteOptions {
  const handle = withLocation(call, withKeptAnswer(call, withCursors(call, deps), deps));
  return {
    method: call.method,
    url: call.url,
    schema: call.schema,
    // The hooks use callbacks, because each hook with a promise would make a poll a tenth slower.
    onRequest(request, reply, done) {
      reply.header('cache-control', 'no-store');
      lowerIds(request.params as Record<string, unknown>); // the router's
      lowerIds(request.query as Record<string, unknown>); // the parser's
      const enter = () => {
        if (!call.idempotency) refuseIdempotencyKey(request);
        if (call.bodyOf || (call.body && !mayBeLeftOut(call.body)))
          (call.large?.assertType ?? assertJson)(request);
        if (call.takesFile) assertFile(request);
        if (call.formerNames) rename(request.query as Record<string, unknown>, call.formerNames);
        assertQuery(request);
        done();
      };
      const refuse = (error: unknown) => done(error as Error); // only errors are thrown
      try {
        const waits = call.admit(request, reply);
        if (waits) waits.then(enter).catch(refuse);
        else enter();
      } catch (error) {
        refuse(error);
      }
    },
    ...(call.bodyLimit !== undefined && { bodyLimit: call.bodyLimit }),
    ...(call.maxValues !== undefined && { config: { maxValues: call.maxValues } }),
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
      return handle(request, reply);
    },
  };
}

/** Leaves handlers without a list unchanged, because a promise would slow polls down. */
function withCursors(call: BoundCall, { cursors }: RegisterDeps): BoundCall['handle'] {
  if (!call.query?.properties.cursor) return call.handle;
  const { honours, listOf, formerNames } = call;
  return async (request, reply) => {
    const accountId = listOf?.(request);
    const seal = openList(cursors, request, {
      ...{ honours, formerNames },
      ...(accountId !== undefined && { accountId }),
    });
    return seal(await call.handle(request, reply));
  };
}

function withKeptAnswer(
  { idempotency }: BoundCall,
  handle: BoundCall['handle'],
  { answers }: RegisterDeps,
): BoundCall['handle'] {
  if (idempotency === undefined || idempotency === 'handled') return handle;
  return (request, reply) =>
    answers.once(request, reply, {
      who: idempotency.keptFor(request),
      work: () => handle(request, reply),
    });
}

function withLocation({ locate }: BoundCall, handle: BoundCall['handle']): BoundCall['handle'] {
  if (!locate) return handle;
  return async (request, reply) => {
    const answer = await handle(request, reply);
    reply.header('location', locate(request, answer));
    return answer;
  };
}

/** Registers the call in its own scope, because body parsers belong to a scope. */
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

function checkBody(request: FastifyRequest, schema: object): void {
  const validate = request.compileValidationSchema(schema as Record<string, unknown>, 'body');
  if (validate(request.body)) return;
  const error = new Error('the body is not valid');
  request.validationError = Object.assign(error, {
    validation: validate.errors ?? [],
    validationContext: 'body',
  });
}

function assertNone({ validationError }: FastifyRequest, mistakes: readonly AppError[]): void {
  const all = validationError ? [toAppError(validationError), ...mistakes] : mistakes;
  const [first] = all;
  if (!first) return;
  if (all.length === 1) throw first;
  const errors = all.flatMap(({ details }) => details.errors ?? []);
  const detail = `${errors.length} parts of the request are not valid; "errors" names each.`;
  throw new AppError('invalid_request', detail, { errors });
}
