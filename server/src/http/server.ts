import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RouteOptions,
} from 'fastify';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../std/log.ts';
import { answerBrokenRequest, answerForNode, assertHost } from './broken-requests.ts';
import { tellClientAddress } from './client-address.ts';
import { causedByLeaving } from './client-gone.ts';
import { endSlowReaders } from './end-slow-readers.ts';
import { answerExpectations } from './expect-continue.ts';
import { acceptJsonOnly, maxBodyBytes } from './json-body.ts';
import { limitConnections, maxConnectionsHere } from './limit-connections.ts';
import { nextRequestId } from './request-id.ts';
import { sendProblem, toAppError } from './send-problem.ts';
import { isRead } from './track-requests.ts';

// A client that dribbles is cut off: headers have 15 s, all of a request 30 s. Sockets are looked at every second, so
// the limits are a second shorter than what is promised.
const checkSocketsMs = 1_000;
const headersTimeoutMs = 15_000 - checkSocketsMs;
const requestTimeoutMs = 30_000 - checkSocketsMs;
// As long as Node lets all headers of a request be.
const maxPathLength = 16_384;
// Longer than the 60 s that load balancers keep idle connections, so that they close first.
const keepAliveMs = 65_000;

// Nothing is changed to make it fit.
const validation = {
  removeAdditional: false,
  coerceTypes: false,
  useDefaults: false,
  allErrors: true,
  strict: false,
} as const;

export interface ServerDeps {
  log: Log;
  /** Asked for each problem document, because a server on port 0 learns its address when it listens. */
  publicUrl: () => string;
  /** Networks whose word on the address of a client counts. */
  trustedProxies?: readonly string[];
  /** Connections at once; null for what the operating system's limit on open files leaves room for. */
  maxConnections?: number | null;
  /** Answers a GET for which there is no route with a page; undefined when it is none. */
  sendPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;
}

// Two years, with subdomains: what lists of such sites ask for. Browsers heed it only where they came by TLS.
const transportSecurity = 'max-age=63072000; includeSubDomains';

/** The edge without its routes: parsing, ids, errors as problem documents. */
export function createServer({
  log,
  publicUrl,
  trustedProxies = [],
  maxConnections = null,
  sendPage,
}: ServerDeps): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkSocketsMs,
      // Its refusal is no problem document; `assertHost` refuses with one.
      requireHostHeader: false,
    },
    // The framework's own refusal while it drains is no problem document; `trackRequests` refuses with one.
    return503OnClosing: false,
    // An id of any length is an unknown id; the limit on headers bounds the path.
    routerOptions: { maxParamLength: maxPathLength },
    // A path that cannot be decoded leads nowhere. No hook has run for it.
    frameworkErrors: (_error, request, reply) => {
      sendProblem(withHeadersOfAll(request, reply, publicUrl()), nothingThere(), publicUrl());
    },
    // Its HEAD answers without the length of what GET has; `answerHead` does better.
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, publicUrl()),
    ajv: { customOptions: validation },
  });
  answerForNode(server, publicUrl);
  answerExpectations(server);
  endSlowReaders(server);
  acceptJsonOnly(server);
  tellClientAddress(server, trustedProxies);
  server.addHook('onRoute', answerHead);
  server.addHook('onRequest', (request, reply, done) => {
    withHeadersOfAll(request, reply, publicUrl());
    assertHost(request);
    done();
  });
  limitConnections(server, maxConnections ?? maxConnectionsHere());
  server.setErrorHandler((error, request, reply) => {
    const problem = toAppError(error);
    // Where nothing is, nothing can be wrong with a body.
    if (request.is404 && !ofAnyRequest.has(problem.code)) return answerUnrouted(request, reply);
    if (operatorsConcern.has(problem.code) && !causedByLeaving(error, reply)) {
      const cause =
        problem.cause instanceof Error
          ? (problem.cause.stack ?? problem.cause.message)
          : String(problem.cause);
      log.error('request.failed', { request_id: request.id, code: problem.code, cause });
    }
    return sendProblem(reply, problem, publicUrl());
  });
  server.setNotFoundHandler(answerUnrouted);
  return server;

  function answerUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const page = isRead(request) && sendPage?.(request, reply);
    if (page) return page;
    const url = request.url.split('?')[0] ?? '';
    const methods = routedMethods.filter((method) => server.findRoute({ method, url }));
    if (methods.length === 0) return sendProblem(reply, nothingThere(), publicUrl());
    const list = methods.join(', ');
    reply.header('allow', list);
    return sendProblem(reply, new AppError('method_not_allowed', `This address takes ${list}.`), publicUrl());
  }
}

function withHeadersOfAll(request: FastifyRequest, reply: FastifyReply, publicUrl: string): FastifyReply {
  if (publicUrl.startsWith('https:')) reply.header('strict-transport-security', transportSecurity);
  return reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
}

/** Whatever has GET has HEAD, by the same handler; Node keeps the headers and leaves the body out. */
function answerHead(this: FastifyInstance, route: RouteOptions): void {
  if (route.method !== 'GET') return;
  this.route({ ...route, method: 'HEAD', schema: { ...route.schema, hide: true } as object });
}

const routedMethods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];

/** What is found before anybody looks at the address. */
const ofAnyRequest: ReadonlySet<ErrorCode> = new Set(['malformed_request', 'shutting_down']);

/** Failures that are not the client's, whose cause only the log may show. */
const operatorsConcern: ReadonlySet<ErrorCode> = new Set([
  'internal',
  'database_unavailable',
  'storage_unavailable',
]);

function nothingThere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}
