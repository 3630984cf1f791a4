import { problems } from '../../../base/http/problems.ts';
import { retryAfterOf, toAppError } from '../../../base/http/send-problem.ts';
import type { AppError, ErrorCode } from '../../../errors.ts';
import { DoorAnswer, StillUnderWay } from '../door-errors.ts';
import { InvalidRequest, type Violation } from './fields.ts';

/** `google.rpc.Status` as JSON, which all of Google's clients read. */
export interface GoogleError {
  error: { code: number; message: string; status: string; details: object[] };
}

export class GoogleFailure extends DoorAnswer {
  readonly body: GoogleError;

  constructor(body: GoogleError) {
    super(body.error.message);
    this.body = body;
  }
}

/** Google's status words by HTTP status. Its clients can retry after 408, 429, 500, 502, 503 and 504. */
const words: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function googleError(
  code: number,
  message: string,
  {
    details = [],
    status = words[code] ?? 'INVALID_ARGUMENT',
  }: { details?: object[]; status?: string | undefined } = {},
): GoogleError {
  return { error: { code, message, status, details } };
}

export function toGoogleError(error: unknown): GoogleError {
  if (error instanceof GoogleFailure) return error.body;
  if (error instanceof InvalidRequest) return ofViolations(error.violations);
  if (error instanceof StillUnderWay)
    return googleError(504, error.message, { details: [errorInfo('STILL_UNDER_WAY')] });
  return ofAppError(toAppError(error));
}

export function retryAfterIn({ error: { details } }: GoogleError): string | undefined {
  const found = details.find((detail) => 'retryDelay' in detail) as { retryDelay: string } | undefined; // as `retryInfo` makes it
  return found?.retryDelay.replace('s', '');
}

function ofAppError(error: AppError): GoogleError {
  const { code, message, details } = error;
  const retryAfterSeconds = retryAfterOf(error);
  return googleError(statusOf(code), message, {
    details: [
      errorInfo(reasons[code] ?? code.toUpperCase()),
      ...(details.errors ? [badRequest(details.errors.map(toViolation))] : []),
      ...(retryAfterSeconds === null ? [] : [retryInfo(retryAfterSeconds)]),
    ],
  });
}

/** Returns the status for Google's API, which has no 422. */
function statusOf(code: ErrorCode): number {
  const { status } = problems[code];
  return status === 422 ? 400 : status;
}

const reasons: Partial<Record<ErrorCode, string>> = {
  key_missing: 'API_KEY_INVALID',
  key_invalid: 'API_KEY_INVALID',
};

/** Some programs show only the message, so it lists all violations. */
function ofViolations(violations: readonly Violation[]): GoogleError {
  const message = violations.map(({ field, description }) => `${field} ${description}`).join(' ');
  return googleError(400, message, { details: [errorInfo('INVALID_REQUEST'), badRequest(violations)] });
}

function toViolation({ pointer, detail }: { pointer: string; detail: string }): Violation {
  return { field: pointer.replace(/^\//, '').replaceAll('/', '.'), description: detail };
}

const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` });

export function errorInfo(reason: string): object {
  return { ...type('ErrorInfo'), reason, domain: 'darkroom' };
}

function badRequest(fieldViolations: readonly Violation[]): object {
  return { ...type('BadRequest'), fieldViolations };
}

function retryInfo(seconds: number): object {
  return { ...type('RetryInfo'), retryDelay: `${seconds}s` };
}
