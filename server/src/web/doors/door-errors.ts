import type { FastifyReply } from 'fastify';
import { problems } from '../../base/http/problems.ts';
import { logTrouble, retryAfterOf, toAppError } from '../../base/http/send-problem.ts';
import type { Log } from '../../base/std/log.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Job, JobErrorCode } from '../../jobs/job.ts';

export interface DoorError {
  code: ErrorCode | JobErrorCode | 'still_under_way';
  status: number;
  message: string;
  /** The first wrong field, as a JSON pointer with our own API's names; null if the error is not about a field. */
  pointer: string | null;
  /** The seconds after which the same request may succeed; null if it should not be repeated. */
  retryAfterSeconds: number | null;
}

/** An error about the request or its jobs, in the format of the vendor's API. It is not a fault of the server. */
export class DoorAnswer extends Error {}

/** The error for a request that stops waiting. Its job continues and is charged as usual. */
export class StillUnderWay extends DoorAnswer {
  readonly retryAfterSeconds: number | null;

  constructor(why: string, retryAfterSeconds: number | null = null) {
    super(`${why} The image is still being made: read its job later.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export class NoImages extends DoorAnswer {
  readonly job: Job;

  constructor(job: Job) {
    super(job.error ?? '');
    this.job = job;
  }
}

export function toDoorError(error: unknown): DoorError {
  if (error instanceof NoImages) return errorOfJob(error.job);
  if (error instanceof StillUnderWay)
    return {
      code: 'still_under_way',
      status: 504,
      message: error.message,
      pointer: null,
      retryAfterSeconds: error.retryAfterSeconds,
    };
  const ours = toAppError(error);
  const { code, message, details } = ours;
  return {
    code,
    status: problems[code].status,
    message,
    pointer: details.errors?.[0]?.pointer ?? null,
    retryAfterSeconds: retryAfterOf(ours),
  };
}

export function logDoorTrouble(log: Log, error: unknown, reply: FastifyReply): void {
  if (!(error instanceof DoorAnswer)) logTrouble(log, error, toAppError(error), reply);
}

/** Describes a failed job. Suggests no retry, because Darkroom has already retried wherever that could help. */
function errorOfJob({ error, errorCode }: Job): DoorError {
  const code = errorCode ?? 'internal';
  return {
    code,
    status: statuses[code],
    message: error ?? 'The image could not be made.',
    pointer: null,
    retryAfterSeconds: null,
  };
}

const statuses: Record<JobErrorCode, number> = {
  safety_blocked: 400,
  policy_refused: 400,
  invalid_input: 400,
  cancelled: 409,
  internal: 500,
  interrupted: 500,
  no_image: 502,
  provider_rejected: 502,
  provider_unavailable: 503,
  timed_out: 504,
  deadline_exceeded: 504,
};

/** `pointer` has the field names of our own API. */
export function wrongField(pointer: string, message: string): AppError {
  return new AppError('invalid_request', message, { errors: [{ pointer, detail: message }] });
}
