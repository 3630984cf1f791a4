import type { FastifyReply, FastifyRequest } from 'fastify';
import { createJobs } from '../../jobs/admission/create-job.ts';
import { waitForJob } from '../../jobs/get-job.ts';
import type { Job } from '../../jobs/job.ts';
import { type AskedImages, checkImages } from './check-images.ts';
import type { DoorDeps } from './door-deps.ts';
import { StillUnderWay } from './door-errors.ts';
import { type FollowedAnswer, followAnswer } from './follow-answer.ts';

// The longest wait, three times the default timeout of OpenAI's clients. A job may be queued for a day, so clients can
// also read it after the wait.
const patienceMs = 30 * 60_000;

// The seconds after which a client may retry if this process stops, about the time that a supervisor needs to start
// another.
const stoppingRetrySeconds = 1;

export interface ImagesRequest extends AskedImages {
  reply: FastifyReply;
  /** The number of images. Either all of them are accepted or none. */
  count: number;
  ignored: readonly string[];
  /** Identifies repetitions of a request. */
  fingerprint: string;
  idempotencyKey: string | null;
  /** The id by which the client cancels the request, if it does not close the connection. */
  clientRequest?: string;
  /** Returns a signal that aborts when the client disconnects. Accepted jobs continue. */
  signal: () => AbortSignal;
}

export interface StartedImages {
  accountId: string;
  jobIds: readonly string[];
  answer: FollowedAnswer | undefined;
}

/** Finds the jobs of a repeated request, or creates jobs. @throws AppError, Overloaded, as `createJobs` */
export async function startImages(deps: DoorDeps, request: ImagesRequest): Promise<StartedImages> {
  const { reply } = request;
  const { apiKey: key, id: requestId } = reply.request;
  const asked = checkImages(deps, key, request);
  const { fingerprint, idempotencyKey, clientRequest = null } = request;
  const callerId = key.clientToken?.id ?? key.id;
  const waiting =
    idempotencyKey === null
      ? deps.unanswered.ask({ callerId, fingerprint, repeats: repeatsOf(reply.request), clientRequest })
      : undefined;
  const adopted = waiting && (await deps.unanswered.adopt(waiting, request.signal));
  const create = async () =>
    createJobs(
      deps,
      {
        ...asked,
        accountId: key.accountId,
        keyId: key.id,
        clientToken: key.clientToken ?? null,
        requestId,
        idempotency: idempotencyKey === null ? null : { key: idempotencyKey, fingerprint },
        ...(waiting && { unanswered: waiting }),
        signal: request.signal,
      },
      Array.from({ length: request.count }, () => asked),
    );
  const { jobIds, replayed } = adopted ? { jobIds: adopted, replayed: true } : await create();
  nameJobs(reply, jobIds);
  if (request.ignored.length > 0) reply.header('x-darkroom-ignored', request.ignored.join(', '));
  if (replayed) reply.header('idempotent-replayed', 'true');
  const answer = waiting && followAnswer(deps.unanswered, reply, waiting);
  return { accountId: key.accountId, jobIds, answer };
}

/** The number of retries, which OpenAI's official clients and LiteLLM send; 0 if the header is missing. */
function repeatsOf({ headers }: FastifyRequest): number {
  const count = headers['x-stainless-retry-count'];
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : 0;
}

export function nameJobs(reply: FastifyReply, jobIds: readonly string[]): void {
  const [first] = jobIds;
  if (first !== undefined) reply.request.jobId = first;
  const list = jobIds.join(', ');
  // The first header has the name from version 0.1.0.
  reply.header('x-darkroom-job-id', list).header('darkroom-job-id', list);
}

/**
 * @throws StillUnderWay if the wait is too long or the server is about to stop; the signal's reason if the client
 * disconnects
 */
export async function waitForImages(
  deps: DoorDeps,
  { accountId, jobIds }: StartedImages,
  clientGone: AbortSignal,
): Promise<Job[]> {
  const signal = AbortSignal.any([clientGone, deps.closing]);
  const jobs = await Promise.all(
    jobIds.map((jobId) => waitForJob(deps, { accountId, jobId, waitMs: patienceMs, signal })),
  );
  if (jobs.every(({ finishedAt }) => finishedAt !== null)) return jobs;
  clientGone.throwIfAborted();
  if (!deps.closing.aborted) throw new StillUnderWay('The image takes longer than a request can wait.');
  throw new StillUnderWay('This process is about to stop.', stoppingRetrySeconds);
}
