import { parseRetryAfterMs } from './retry-after.ts';
import type { Batch, FieldError, Job, ProblemCode, ProblemDocument } from './types.ts';

/** The server refused the request. `message` is the server's explanation. */
export class DarkroomError extends Error {
  override name = 'DarkroomError';
  readonly status: number;
  /** `null` if something other than Darkroom answered, such as a proxy. Newer servers may send other codes. */
  readonly code: ProblemCode | null;
  readonly detail: string;
  /** The refused fields; empty unless validation failed. */
  readonly errors: readonly FieldError[];
  /** Identifies this request in the server's log. */
  readonly requestId: string | null;
  /** The time before the next attempt, if the server named one. */
  readonly retryAfterMs: number | null;
  /** The whole answer, if it was a problem document. */
  readonly problem: ProblemDocument | null;

  constructor(response: Response, body: string) {
    const problem = parseProblem(body);
    super(problem?.detail ?? describe(response));
    this.status = response.status;
    this.code = problem?.code ?? null;
    this.detail = this.message;
    this.errors = problem?.errors ?? [];
    this.requestId = problem?.request_id ?? response.headers.get('x-request-id');
    this.retryAfterMs = parseRetryAfterMs(response.headers.get('retry-after'), Date.now());
    this.problem = problem;
  }
}

/** No usable answer: no connection, a time-out or a broken response. The server may have carried out the request. */
export class NetworkError extends Error {
  override name = 'NetworkError';
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

/** The job ended as `failed`. `message` says why. Its price was released. */
export class JobFailed extends Error {
  override name = 'JobFailed';
  readonly job: Job;

  constructor(job: Job) {
    super(job.error ?? 'The job failed.');
    this.job = job;
  }
}

/** `timeoutMs` passed before the job ended. The job continues. */
export class WaitTimedOut extends Error {
  override name = 'WaitTimedOut';
  readonly job: Job;

  constructor(job: Job) {
    super(`Job ${job.job_id} is still ${job.status}.`);
    this.job = job;
  }
}

/** `timeoutMs` passed before the batch ended. The batch continues. */
export class BatchWaitTimedOut extends Error {
  override name = 'BatchWaitTimedOut';
  readonly batch: Batch;

  constructor(batch: Batch) {
    const { done, failed } = batch.counts;
    super(`Of batch ${batch.batch_id}, ${done + failed} of ${batch.jobs} jobs have ended.`);
    this.batch = batch;
  }
}

function describe(response: Response): string {
  const status = `${response.status} ${response.statusText}`.trim();
  return response.ok
    ? `The answer of ${response.url} is not JSON. Is this the address of Darkroom?`
    : `The server answered ${status} without saying why.`;
}

function parseProblem(body: string): ProblemDocument | null {
  try {
    const value: unknown = JSON.parse(body);
    const isProblem =
      typeof value === 'object' &&
      value !== null &&
      'detail' in value &&
      typeof value.detail === 'string' &&
      'code' in value &&
      typeof value.code === 'string';
    return isProblem ? (value as ProblemDocument) : null; // only problem documents have both fields
  } catch {
    return null;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the request timed out';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? (error.cause === undefined ? error.message : reasonOf(error.cause));
}
