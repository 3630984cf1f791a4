import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Whoever sends `Expect: 100-continue` is told to go on when the request was let in, right before its body is read: a
 * wrong key or another content type is refused before megabytes are sent. Of a refused request nobody knows whether its
 * body still comes, so its connection ends.
 */
export function answerExpectations(server: FastifyInstance): void {
  const waiting = new WeakMap<ServerResponse, { keepAlive: boolean }>();
  server.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(response, { keepAlive: response.shouldKeepAlive });
    response.shouldKeepAlive = false;
    server.routing(request, response);
  });
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
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
