import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../../../base/http/bearer.ts';
import { clientGone } from '../../../base/http/client-gone.ts';
import { assertOwnOrigin } from '../../../base/http/own-origin.ts';
import { problems } from '../../../base/http/problems.ts';
import { hidden } from '../../../base/http/schemas.ts';
import { logTrouble, toAppError } from '../../../base/http/send-problem.ts';
import { validationError } from '../../../base/http/validation-errors.ts';
import { loadOnce } from '../../../base/std/memory/load-once.ts';
import type { AppError } from '../../../errors.ts';
import type { DoorDeps } from '../door-deps.ts';
import { isSettledSoon } from '../is-settled-soon.ts';
import { refuseUnknownQuery } from '../refuse-unknown-query.ts';
import { noteCancelled } from './note-cancelled.ts';
import { challenge, registerOAuth } from './oauth/oauth-calls.ts';
import type { Caller } from './tool.ts';

export const mcpPath = '/mcp';

export async function registerMcp(server: FastifyInstance, deps: DoorDeps): Promise<void> {
  // The MCP server is loaded on the first request, because installations without MCP clients do not need it.
  const opened = loadOnce(async () => (await import('./mcp-server.ts')).createMcp(deps));

  registerOAuth(server, deps);
  await server.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const problem = toAppError(error, request);
      logTrouble(deps.log, error, problem, reply);
      return sendProtocolError(reply, problem, deps.publicUrl());
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { origin } = request.headers;
      // The protocol requires this check, against DNS rebinding.
      if (origin !== undefined && !deps.allowedOrigins.includes(origin))
        assertOwnOrigin(request, deps.publicUrl());
      await deps.entrance.admit(request, reply, bearerToken);
    });
    // The protocol has no query parameters, so a parameter in the client's address is a mistake.
    refuseUnknownQuery(scope, []);
    const handle = async (request: FastifyRequest, reply: FastifyReply) => {
      const mcp = await opened();
      await noteCancelled(deps, request);
      const named = Promise.withResolvers<void>();
      const caller: Caller = {
        key: request.apiKey,
        requestId: request.id,
        reply,
        named: named.resolve,
        check: (schema, value) => check(request, schema, value),
      };
      const answer = await mcp.fetch(toWebRequest(request, reply, deps.publicUrl()), {
        authInfo: { token: '', clientId: request.apiKey.id, scopes: [], extra: { caller } },
        ...(request.body !== undefined && { parsedBody: request.body }),
      });
      // Waits for the headers that name the jobs, because the stream can begin before the tool has created them.
      if (isToolCall(request.body)) await isSettledSoon(named.promise, namingMs);
      return reply.send(answer);
    };
    scope.post(mcpPath, { schema: { hide: true, body: {} }, handler: handle });
    // Answers requests for streams and for the end of sessions, which only earlier versions of the protocol have.
    scope.route({
      method: ['GET', 'DELETE'],
      url: mcpPath,
      ...hidden,
      handler: handle,
    });
  });
}

/** The longest wait for the ids of a tool's jobs. Jobs are accepted within milliseconds unless they fetch images. */
const namingMs = 1_000;

function isToolCall(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/call';
}

function check(request: FastifyRequest, schema: object, value: unknown): void {
  const validate = request.compileValidationSchema(schema as Record<string, unknown>, 'body');
  if (!validate(value)) throw validationError(validate.errors ?? [], 'body');
}

function toWebRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'authorization' && value !== undefined) headers.set(name, String(value));
  }
  const { method } = request;
  return new Request(`${publicUrl}${mcpPath}`, { method, headers, signal: clientGone(reply) });
}

const serverError = -32_000;
const parseError = -32_700;

export function sendProtocolError(
  reply: FastifyReply,
  { code, message, details }: AppError,
  publicUrl: string,
): FastifyReply {
  const status = code === 'invalid_request' ? 400 : problems[code].status;
  if (status === 401) reply.header('www-authenticate', challenge(publicUrl));
  if (details.retryAfterSeconds) reply.header('retry-after', details.retryAfterSeconds);
  return reply.code(status).send({
    jsonrpc: '2.0',
    id: null,
    error: { code: code === 'invalid_request' ? parseError : serverError, message, data: { code } },
  });
}
