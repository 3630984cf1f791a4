import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../std/log.ts';
import { acceptJsonOnly, maxBodyBytes } from './json-body.ts';
import { problems } from './problems.ts';
import { sendProblem, toAppError } from './send-problem.ts';

// A client that dribbles is cut off; sockets are looked at every second, so a limit holds within one.
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
const checkSocketsMs = 1_000;
// Longer than the 60 s that load balancers keep idle connections, so that they close first.
const keepAliveMs = 65_000;

export interface ServerDeps {
  log: Log;
  /** Asked for each problem document, because a server on port 0 learns its address when it listens. */
  publicUrl: () => string;
}

/** The edge without its routes: parsing, ids, errors as problem documents, one log line a request. */
export function createServer({ log, publicUrl }: ServerDeps): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: () => `req_${randomBytes(12).toString('base64url')}`,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: checkSocketsMs },
    // 503 for what arrives while the server drains.
    return503OnClosing: true,
    routerOptions: { maxParamLength: 200 },
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

  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  });
  server.addHook('onResponse', async (request, reply) => {
    // Reads that succeed are the bulk of all requests and tell nothing; they are logged at debug.
    const quiet = reply.statusCode < 400 && (request.method === 'GET' || request.method === 'HEAD');
    if (quiet && !log.enabled('debug')) return;
    log[quiet ? 'debug' : 'info']('request.finished', {
      request_id: request.id,
      method: request.method,
      path: request.routeOptions.url ?? request.raw.url?.split('?')[0]?.slice(0, 200),
      status: reply.statusCode,
      ...(request.apiKey && { account_id: request.apiKey.accountId, key_id: request.apiKey.id }),
      ms: Math.round(reply.elapsedTime * 10) / 10,
    });
  });
  server.setErrorHandler((error, request, reply) => {
    const problem = toAppError(error);
    if (problem.code === 'internal' || problem.code === 'database_unavailable') {
      const cause =
        problem.cause instanceof Error
          ? (problem.cause.stack ?? problem.cause.message)
          : String(problem.cause);
      log.error('request.failed', { request_id: request.id, code: problem.code, cause });
    }
    return sendProblem(reply, problem, publicUrl());
  });
  server.setNotFoundHandler((request, reply) => {
    const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'].filter((method) =>
      server.findRoute({ method, url: request.url.split('?')[0] ?? '' }),
    );
    if (methods.length === 0)
      return sendProblem(reply, new AppError('not_found', 'There is nothing at this address.'), publicUrl());
    reply.header('allow', methods.join(', '));
    return sendProblem(
      reply,
      new AppError('method_not_allowed', `This address takes ${methods.join(', ')}.`),
      publicUrl(),
    );
  });
  return server;
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
  const body = JSON.stringify({
    type: `${publicUrl}/docs/errors/${code}`,
    title,
    status,
    detail,
    code,
    request_id: 'none',
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const brokenRequests: Record<string, readonly [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers may have at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
