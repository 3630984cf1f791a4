import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Answers `Expect: 100-continue` once a request has passed the checks, right before its body is read: a wrong
 * key or content type is refused before the client sends megabytes. After a refusal the client may or may not
 * still send the body, so the connection closes.
 */
export function answerExpectations(server: FastifyInstance): void {
  const waiting = new WeakMap<ServerResponse, { keepAlive: boolean }>();
  server.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(response, { keepAlive: response.shouldKeepAlive });
    response.shouldKeepAlive = false;
    server.routing(request, response);
  });
  // Unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', server.routing);
  server.addHook('preParsing', (_request, { raw }, payload, done) => {
    const expecting = waiting.get(raw);
    if (expecting) {
      raw.shouldKeepAlive = expecting.keepAlive;
      raw.writeContinue();
    }
    done(null, payload);
  });
}
