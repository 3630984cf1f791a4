import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Sends `100 Continue` only after the checks, so that a wrong key is refused before the client sends megabytes. */
export function answerExpectations(server: FastifyInstance): void {
  server.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    // A hook would run for every request, although few requests need it.
    request.once('resume', () => {
      if (response.headersSent) return; // refused; Node reads the rest of the body, if it comes
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    });
    server.routing(request, response);
  });
  // Unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', server.routing);
}
