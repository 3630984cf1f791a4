import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Log } from '../std/log.ts';
import { answerExpectations } from './answer-expectations.ts';
import { answerBrokenRequest, answerForNode, assertHost } from './broken-requests.ts';
import { buildSerializers, buildValidators } from './build-validators.ts';
import { decorateClientAddress } from './client-address.ts';
import { createContainment } from './connections/containment.ts';
import { limitConnections, maxConnectionsHere } from './connections/limit-connections.ts';
import { acceptJsonOnly, maxBodyBytes } from './json-body.ts';
import { createTracedIds, nextRequestId } from './request-id.ts';
import { logTrouble, sendProblem, toAppError } from './send-problem.ts';
import { endSlowReaders } from './slow-clients/end-slow-readers.ts';
import { endSlowSenders, longestBodyMs } from './slow-clients/end-slow-senders.ts';
import { isRead } from './track-requests.ts';

// Node checks headers every second, so the limit is a second shorter than promised. `endSlowSenders` limits bodies.
const checkSocketsMs = 1_000;
const headersTimeoutMs = 15_000 - checkSocketsMs;
const requestTimeoutMs = headersTimeoutMs + longestBodyMs + 60_000;
// Node's limit for the headers of a request together with its path.
const maxPathLength = 16_384;
// How long idle connections are kept: longer than a load balancer's 60 s, so that the load balancer closes them first.
const keepAliveMs = 65_000;

const validation = {
  removeAdditional: false,
  coerceTypes: false,
  useDefaults: false,
  allErrors: true,
  strict: false,
} as const;

export interface ServerDeps {
  log: Log;
  meter: Meter;
  /** A function, because a server on port 0 knows its address only once it listens. */
  publicUrl: () => string;
  trustedProxies?: readonly string[];
  /** The maximum number of connections; null to derive it from the system's limit on open files. */
  maxConnections?: number | null;
  /** The share of requests that begin a trace; null if tracing is off. */
  tracedShare?: number | null;
  sendPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;
}

// Two years, with subdomains, as HSTS preload lists require. Browsers ignore the header on plain HTTP.
const transportSecurity = 'max-age=63072000; includeSubDomains';

const socketOptions = {
  headersTimeout: headersTimeoutMs,
  connectionsCheckingInterval: checkSocketsMs,
  // Node would refuse a missing `Host` without a problem document; `assertHost` sends one.
  requireHostHeader: false,
};

/** The HTTP server without its calls: parsing, ids, errors as problem documents. */
export function createServer({
  log,
  meter,
  publicUrl,
  trustedProxies = [],
  maxConnections = null,
  tracedShare = null,
  sendPage,
}: ServerDeps): FastifyInstance {
  const { messages, contain } = createContainment({ log, meter, publicUrl });
  const head = createHeadRouting();
  const server = fastify({
    rewriteUrl: head.rewriteUrl,
    logger: false,
    genReqId: tracedShare === null ? nextRequestId : createTracedIds(tracedShare),
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: { ...messages, ...socketOptions },
    // While the server drains, Fastify would refuse requests without a problem document. `trackRequests` sends one.
    return503OnClosing: false,
    // An id in a path may be as long as the path, so that an overlong id gets the answer for an unknown one.
    routerOptions: { maxParamLength: maxPathLength },
    // A path that cannot be decoded gets 404. No hook has run for it, so its headers are set here.
    frameworkErrors: (_error, request, reply) => {
      sendProblem(withHeadersOfAll(request, reply, publicUrl()), nothingThere(), publicUrl());
    },
    // Separate HEAD routes would take an eighth of the startup time, and they would omit the length.
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, publicUrl()),
    ajv: { customOptions: validation },
    schemaController: {
      compilersFactory: { buildSerializer: buildSerializers, buildValidator: buildValidators },
    },
  });
  answerForNode(server, publicUrl);
  answerExpectations(server);
  endSlowReaders(server, contain);
  endSlowSenders(server, contain);
  acceptJsonOnly(server);
  const noteAddress = decorateClientAddress(server, trustedProxies);
  server.addHook('onRequest', (request, reply, done) => {
    head.restore(request);
    noteAddress(request);
    withHeadersOfAll(request, reply, publicUrl());
    assertHost(request);
    done();
  });
  server.addHook('onError', keepConnection);
  limitConnections(server, maxConnections ?? maxConnectionsHere());
  server.setErrorHandler((error, request, reply) => {
    const problem = toAppError(error, request);
    // On an unknown path, 404 takes precedence over errors in the body.
    if (request.is404 && !ofAnyRequest.has(problem.code)) return answerUnrouted(request, reply);
    logTrouble(log, error, problem, reply);
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
    const list = methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    reply.header('allow', list);
    return sendProblem(reply, new AppError('method_not_allowed', `This address takes ${list}.`), publicUrl());
  }
}

/** Keeps the connection after a refused body, because a client that is still sending would not see the answer. */
function keepConnection(_request: unknown, reply: FastifyReply, _error: unknown, done: () => void): void {
  if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
  done();
}

function withHeadersOfAll(request: FastifyRequest, reply: FastifyReply, publicUrl: string): FastifyReply {
  if (publicUrl.startsWith('https:')) reply.header('strict-transport-security', transportSecurity);
  return reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
}

/** Routes HEAD to GET's handler. Node sends the headers without the body. Code behind the router sees HEAD. */
function createHeadRouting() {
  const asked = new WeakSet<object>();
  return {
    /** Presents every HEAD to the router as a GET. Returns the URL unchanged. */
    rewriteUrl(request: FastifyRequest['raw']): string {
      if (request.method === 'HEAD') {
        asked.add(request);
        request.method = 'GET';
      }
      return request.url ?? '';
    },
    restore({ raw }: FastifyRequest): void {
      if (asked.has(raw)) raw.method = 'HEAD';
    },
  };
}

const routedMethods = ['GET', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];

/** Errors that take precedence over 404. */
const ofAnyRequest: ReadonlySet<ErrorCode> = new Set(['malformed_request', 'shutting_down']);

function nothingThere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}
