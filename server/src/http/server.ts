import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../std/log.ts';
import { causedByLeaving } from './client-gone.ts';
import { acceptJsonOnly, maxBodyBytes } from './json-body.ts';
import { problems } from './problems.ts';
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

export interface ServerDeps {
  log: Log;
  /** Asked for each problem document, because a server on port 0 learns its address when it listens. */
  publicUrl: () => string;
  /** Answers a GET for which there is no route with a page; undefined when it is none. */
  sendPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;
}

// Random for the process and counted within it: as unique as random ones, for a hundredth of the cost.
const processId = randomBytes(9).toString('base64url');
let requests = 0;

function nextRequestId(): string {
  requests += 1;
  return `req_${processId}${requests.toString(36)}`;
}

/** The edge without its routes: parsing, ids, errors as problem documents. */
export function createServer({ log, publicUrl, sendPage }: ServerDeps): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: nextRequestId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: checkSocketsMs },
    // The framework's own refusal while it drains is no problem document; `trackRequests` refuses with one.
    return503OnClosing: false,
    // An id of any length is an unknown id; the limit on headers bounds the path.
    routerOptions: { maxParamLength: maxPathLength },
    // A path that cannot be decoded leads nowhere. No hook has run for it.
    frameworkErrors: (_error, request, reply) => {
      sendProblem(reply.header('x-request-id', request.id), nothingThere(), publicUrl());
    },
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, publicUrl()),
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allErrors: true,
        strict: false,
      },
    },
  });
  acceptJsonOnly(server);

  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const problem = toAppError(error);
    if (operatorsConcern.has(problem.code) && !causedByLeaving(error, reply)) {
      const cause =
        problem.cause instanceof Error
          ? (problem.cause.stack ?? problem.cause.message)
          : String(problem.cause);
      log.error('request.failed', { request_id: request.id, code: problem.code, cause });
    }
    return sendProblem(reply, problem, publicUrl());
  });
  server.setNotFoundHandler((request, reply) => {
    const page = isRead(request) && sendPage?.(request, reply);
    if (page) return page;
    const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'].filter((method) =>
      server.findRoute({ method, url: request.url.split('?')[0] ?? '' }),
    );
    if (methods.length === 0) return sendProblem(reply, nothingThere(), publicUrl());
    reply.header('allow', methods.join(', '));
    return sendProblem(
      reply,
      new AppError('method_not_allowed', `This address takes ${methods.join(', ')}.`),
      publicUrl(),
    );
  });
  return server;
}

/** Failures that are not the client's, whose cause only the log may show. */
const operatorsConcern: ReadonlySet<ErrorCode> = new Set([
  'internal',
  'database_unavailable',
  'storage_unavailable',
]);

function nothingThere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}

/** What Node's parser refuses never reaches a route; it gets a problem document all the same. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, publicUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] =
    brokenRequests[error.code ?? ''] ?? (['malformed_request', 'What arrived is not valid HTTP.'] as const);
  const { status, title } = problems[code];
  const requestId = nextRequestId();
  const body = JSON.stringify({
    type: `${publicUrl}/docs/errors/${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/problem+json\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const brokenRequests: Record<string, readonly [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers may have at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
