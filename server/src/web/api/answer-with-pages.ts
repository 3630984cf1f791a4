import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '../../base/http/problems.ts';
import { logTrouble, retryAfterOf, toAppError } from '../../base/http/send-problem.ts';
import type { Log } from '../../base/std/log.ts';
import type { AppError } from '../../errors.ts';

interface ErrorPages {
  log: Log;
  /** True for requests from people. All others get a problem document. */
  isForPeople(request: FastifyRequest): boolean;
  send(problem: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

/** Answers errors with pages, because people who send forms from pages without scripts cannot read JSON. */
export function answerWithPages(scope: FastifyInstance, { log, isForPeople, send }: ErrorPages): void {
  scope.setErrorHandler((error, request, reply) => {
    if (!isForPeople(request)) throw error;
    const problem = toAppError(error, request);
    logTrouble(log, error, problem, reply);
    const retryAfterSeconds = retryAfterOf(problem);
    if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds);
    return send(problem, request, reply.code(problems[problem.code].status));
  });
}
