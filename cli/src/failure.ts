import { DarkroomError, JobFailed, NetworkError } from '@darkroom/sdk';
import type { Command } from 'commander';
import { adviceForJob, adviceForProblem } from './advice.ts';
import { CliError } from './cli-error.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { knownTrouble } from './files/file-trouble.ts';
import { formatDuration } from './format.ts';
import { optionOf } from './option-of.ts';

export interface Failure {
  exitCode: ExitCode;
  message: string;
  details: string[];
  next: string | undefined;
  requestId: string | undefined;
  json: unknown;
}

export function explain(error: unknown, command?: Command): Failure {
  if (error instanceof JobFailed) return ofJob(error);
  if (error instanceof DarkroomError) return ofAnswer(error, command);
  if (error instanceof NetworkError) {
    const next = 'start the server (npm start, or darkroom serve), or set DARKROOM_URL to where it runs';
    return failure({ exitCode: exitCodes.unavailable, message: `${error.message}.`, next, code: 'network' });
  }
  if (error instanceof CliError) {
    const { exitCode, message, next, answer } = error;
    const told = failure({
      exitCode,
      message,
      next,
      code: exitCode === exitCodes.usage ? 'usage' : 'failed',
    });
    return answer === undefined ? told : { ...told, json: answer };
  }
  const operation = asOperationError(error, command);
  if (operation !== undefined) return failure(operation);
  return ofDefect(error);
}

function failure(parts: {
  exitCode: ExitCode;
  message: string;
  code: string;
  details?: string[];
  next?: string | undefined;
}): Failure {
  const { code, ...shown } = parts;
  const json = { error: { code, message: parts.message } };
  return { details: [], next: undefined, requestId: undefined, json, ...shown };
}

function ofJob({ job, message }: JobFailed): Failure {
  return {
    exitCode: exitCodes.failed,
    message,
    details: [
      `Job ${job.job_id} failed (${job.error_code ?? 'no code'}). Its price of ${job.price} was given back.`,
    ],
    next: adviceForJob(job),
    requestId: undefined,
    json: job,
  };
}

interface FieldError {
  pointer: string;
  detail: string;
}

/** Names the options that caused the mistakes in a request, or the fields if no option is known. */
function inOptions(
  message: string,
  errors: readonly FieldError[],
  command?: Command,
): { message: string; details: string[] } {
  const named = errors.map(({ pointer, detail }) => ({
    pointer,
    detail,
    option: command && optionOf(pointer, command),
  }));
  const [only] = named;
  // For a single mistake, the server's message is the field's name and the detail, so the option can replace the name.
  if (named.length === 1 && only?.option !== undefined && message.endsWith(` ${only.detail}`))
    return { message: `${only.option} ${only.detail}`, details: [] };
  const details = named.map(({ pointer, detail, option }) => {
    if (!message.includes(detail)) return `${option ?? pointer}: ${detail}`;
    return option === undefined ? `Field: ${pointer}` : `Given by: ${option}`;
  });
  return { message, details };
}

function ofAnswer(error: DarkroomError, command?: Command): Failure {
  const { status, code, detail, problem } = error;
  const { message, details } = inOptions(detail, error.errors, command);
  if (problem?.required !== undefined && !detail.includes(problem.required))
    details.push(`Needed ${problem.required}, available ${problem.available}.`);
  if (error.retryAfterMs !== null)
    details.push(`The server asks to wait ${formatDuration(error.retryAfterMs)}.`);
  return {
    exitCode: exitCodeOf(status),
    message,
    details,
    next: adviceForProblem(code),
    requestId: error.requestId ?? undefined,
    json: {
      error: {
        code: code ?? 'unknown',
        message: detail,
        status,
        request_id: error.requestId,
        ...(error.errors.length > 0 && { errors: error.errors }),
        ...(error.retryAfterMs !== null && { retry_after_ms: error.retryAfterMs }),
        ...(problem?.required !== undefined && { required: problem.required, available: problem.available }),
      },
    },
  };
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.keyRefused;
  if (status === 402) return exitCodes.noFunds;
  if (status >= 500 || status === 408 || status === 429 || status < 400) return exitCodes.unavailable;
  return exitCodes.invalid;
}

/** Errors of the server's operations, matched by name, so that client verbs need not load the server. */
const ofOperations: Readonly<Record<string, (message: string) => Parameters<typeof failure>[0]>> = {
  SettingError: (message) => ({ exitCode: exitCodes.invalid, message, code: 'configuration' }),
  DatabaseRefused: (message) => ({ exitCode: exitCodes.unavailable, message, code: 'database_unavailable' }),
  DatabaseUnavailable: (message) => ({
    exitCode: exitCodes.unavailable,
    message,
    next: 'check that the database of DATABASE_URL runs and can be reached, then try again',
    code: 'database_unavailable',
  }),
  DatabaseFull: (message) => ({
    exitCode: exitCodes.unavailable,
    message,
    next: 'make room on it, then try again',
    code: 'database_unavailable',
  }),
  ProcessLate: (message) => ({
    exitCode: exitCodes.unavailable,
    message,
    next: 'try again when this machine has less to do',
    code: 'overloaded',
  }),
  StoreError: (message) => ({
    exitCode: exitCodes.unavailable,
    message: `The image store cannot be used: ${message}.`,
    next: 'check DARKROOM_STORAGE and its credentials, then try again',
    code: 'storage_unavailable',
  }),
};

function asOperationError(error: unknown, command?: Command): Parameters<typeof failure>[0] | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, message, cause } = error;
  const known = ofOperations[name]?.(message);
  if (known !== undefined) return { ...known, details: detailsOf(message, cause) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined || code.startsWith('ERR_')) return undefined;
  const trouble = knownTrouble(error);
  if (trouble !== undefined)
    return {
      exitCode: exitCodes.unavailable,
      message: `${'path' in error ? error.path : 'The output'} cannot be read or written: ${trouble}.`,
      code,
    };
  return {
    exitCode: /invalid|not_found/.test(code) ? exitCodes.invalid : exitCodes.unavailable,
    ...inOptions(message, errorsOf(error), command),
    code,
  };
}

/** The field errors of an `AppError`, recognized by its shape. */
function errorsOf(error: Error): FieldError[] {
  const { details } = error as { details?: { errors?: FieldError[] } }; // the shape in `server/src/errors.ts`
  return details?.errors ?? [];
}

function detailsOf(message: string, cause: unknown): string[] {
  if (!(cause instanceof Error)) return [];
  const detail = cause.message || ('code' in cause ? String(cause.code) : '');
  return detail === '' || message.includes(detail) ? [] : [detail];
}

function ofDefect(error: unknown): Failure {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failure({
    exitCode: exitCodes.defect,
    message: 'This is a defect in darkroom.',
    details: trace.split('\n').map((line) => line.trim()),
    next: 'report it with the lines above',
    code: 'defect',
  });
}
