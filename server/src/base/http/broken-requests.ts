import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../errors.ts';
import { STATUS_CODES } from './connections/node-http.ts';
import { countHeaders } from './count-headers.ts';
import { nextRequestId } from './request-id.ts';
import { problemDocument } from './send-problem.ts';

/** Sends a problem document for a request that Node's parser refuses. No handler sees such a request. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Duplex,
  publicUrl: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] =
    brokenRequests[error.code ?? ''] ?? (['malformed_request', 'The request is not valid HTTP.'] as const);
  writeProblem(socket, new AppError(code, detail), publicUrl);
}

/** Answers requests that Node would otherwise answer with an empty body and no id. */
export function answerForNode({ server }: FastifyInstance, publicUrl: () => string): void {
  server.on('connect', (_request, socket) => {
    // Node has detached the socket, so no other code handles its errors or closes it.
    socket.on('error', () => {});
    socket.resume();
    writeProblem(socket, new AppError('not_found', 'This is no proxy.'), publicUrl());
  });
}

/** Checks the Host header. Node's own check is off, see `requireHostHeader`. @throws AppError `malformed_request` */
export function assertHost({ raw, headers }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new AppError('malformed_request', 'An HTTP/1.1 request needs a Host header; send one.');
  if (countHeaders(raw, 'host') > 1)
    throw new AppError('malformed_request', 'The request has several Host headers; send one.');
}

const brokenRequests: Record<string, readonly [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers may have at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};

// The time for the client to receive the answer. Then the connection is destroyed.
const lastWordsMs = 1_000;

/** Sends a problem and closes the connection, by force if the client keeps it open. Returns the request id. */
export function writeProblem(socket: Duplex, error: AppError, publicUrl: string): string {
  const requestId = nextRequestId();
  const document = problemDocument(error, { requestId, publicUrl });
  const { status } = document;
  const body = JSON.stringify(document);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/problem+json\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), lastWordsMs).unref();
  return requestId;
}
