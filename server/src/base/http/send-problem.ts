import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, type ErrorDetails } from '../../errors.ts';
import { DatabaseFull, DatabaseUnavailable, ProcessLate } from '../db/database.ts';
import type { Log } from '../std/log.ts';
import { Overloaded } from '../std/overloaded.ts';
import { causedByLeaving } from './client-gone.ts';
import { notJson, readBodyTooLarge } from './json-body.ts';
import { problems } from './problems.ts';
import { validationError } from './validation-errors.ts';

/** `Retry-After`, in seconds, for errors that set none themselves. */
export const retrySeconds: Partial<Record<ErrorCode, number>> = {
  database_unavailable: 2,
  storage_unavailable: 2,
  // Open jobs finish within seconds.
  open_jobs_limit_reached: 5,
  // The longest time that a create waits. By then, all creates that are waiting now have been answered.
  overloaded: 3,
  // About the time that a supervisor needs to start a process.
  shutting_down: 1,
};

/** An operator may have freed space by then. */
const fullDiskSeconds = 30;
const tooLate = 'This server is short of processor time at the moment. Send the request again shortly.';

/** RFC 9457. */
export interface ProblemDocument extends Omit<ErrorDetails, 'retryAfterSeconds'> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
}

export function sendProblem(reply: FastifyReply, error: AppError, publicUrl: string): FastifyReply {
  const retryAfterSeconds = retryAfterOf(error);
  const document = problemDocument(error, { requestId: reply.request.id, publicUrl });
  const { status } = document;
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds);
  // Caches could otherwise store answers with some of these statuses.
  reply.header('cache-control', 'no-store');
  return reply.code(status).type('application/problem+json').serializer(JSON.stringify).send(document);
}

/** The seconds after which the same request may succeed; null if that is unknown, or it never will. */
export function retryAfterOf({ code, details: { retryAfterSeconds } }: AppError): number | null {
  return retryAfterSeconds === undefined ? (retrySeconds[code] ?? null) : retryAfterSeconds;
}

export function problemDocument(
  { code, message, details: { retryAfterSeconds: _header, ...details } }: AppError,
  { requestId, publicUrl }: { requestId: string; publicUrl: string },
): ProblemDocument {
  const { status, title } = problems[code];
  const type = `${publicUrl}/docs/errors/${code}`;
  return { type, title, status, detail: message, code, ...details, request_id: requestId };
}

/** Turns any error into one that clients may see. Only the log shows its cause. */
export function toAppError(error: unknown, request?: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseFull) {
    const detail = "The server's disk is full. Existing jobs can be read; send the request again later.";
    return new AppError(
      'database_unavailable',
      detail,
      { retryAfterSeconds: fullDiskSeconds },
      { cause: error },
    );
  }
  if (error instanceof ProcessLate) return new AppError('overloaded', tooLate, {}, { cause: error });
  if (error instanceof DatabaseUnavailable) {
    return new AppError(
      'database_unavailable',
      'The database does not answer at the moment. Send the request again shortly.',
      {},
      { cause: error },
    );
  }
  if (error instanceof Overloaded)
    return new AppError('overloaded', error.message, {}, { cause: error.cause });
  const { validation, validationContext, code } = error as Partial<FastifyError>;
  if (validation) return validationError(validation, validationContext ?? 'body');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return readBodyTooLarge(request?.routeOptions.bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new AppError('malformed_request', 'The body is not as long as Content-Length says.');
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('unsupported_media_type', notJson);
  return new AppError('internal', somethingWrong, {}, { cause: error });
}

export const somethingWrong =
  'Something went wrong here. Send the request again; if the error persists, tell the operator the request id.';

/** Errors that the operator must know about. `logTrouble` logs their cause. */
const operatorsConcern: ReadonlySet<ErrorCode> = new Set([
  'internal',
  'database_unavailable',
  'storage_unavailable',
  'payments_unavailable',
  'captcha_unavailable',
]);

/** Whether this process refused the request because of a fault, not because it has too much work. */
function isOwnTrouble({ code, cause }: AppError): boolean {
  return code === 'overloaded' && cause !== undefined;
}

export function logTrouble(log: Log, error: unknown, problem: AppError, reply: FastifyReply): void {
  const isConcern = operatorsConcern.has(problem.code) || isOwnTrouble(problem);
  if (!isConcern || causedByLeaving(error, reply)) return;
  const cause =
    problem.cause instanceof Error ? (problem.cause.stack ?? problem.cause.message) : String(problem.cause);
  const { id, apiKey } = reply.request;
  log.error('request.failed', {
    request_id: id,
    ...(apiKey && { account_id: apiKey.accountId, key_id: apiKey.id }),
    code: problem.code,
    cause,
  });
}
