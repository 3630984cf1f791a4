import type { Database } from '../base/db/database.ts';
import type { Queries } from '../base/db/schema.ts';
import { batcher } from '../base/std/batcher.ts';
import { readId } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { keepEnded } from './ended-jobs.ts';
import type { Job } from './job.ts';
import { findOwnJobs } from './job-list-store.ts';
import { findJobs } from './job-store.ts';
import type { JobSignals } from './signals.ts';

// The interval of checks, in case another process's notification of the job's end is lost.
const recheckMs = 500;

export type ReadJob = (jobId: string) => Promise<Job | undefined>;

// The maximum number of concurrent polls that share a query. Polls are most of the traffic.
const maxBatch = 200;

export function createReadJob(database: Database): ReadJob {
  const read = keepEnded();
  return batcher(
    async (jobIds: string[]) => {
      const jobs = new Map((await findJobs(database.read, jobIds, read)).map((job) => [job.id, job]));
      return jobIds.map((jobId) => jobs.get(jobId));
    },
    { maxBatch, atOnce: database.kind === 'postgres' ? 2 : 1 },
  );
}

export interface WantedJob {
  jobId: string;
  accountId: string;
  /** Limits the visible jobs to those of this token. */
  clientTokenId?: string | undefined;
}

/** @throws AppError `not_found`, with the same message for an unknown job and for another account's */
export async function getJob(
  { readJob }: { readJob: ReadJob },
  { accountId, jobId, clientTokenId }: WantedJob,
): Promise<Job> {
  const id = readId(jobId);
  const job = id === undefined ? undefined : await readJob(id);
  if (job?.accountId !== accountId) throw unknownJob();
  if (clientTokenId !== undefined && job.clientTokenId !== clientTokenId) throw unknownJob();
  return job;
}

/** Reads each job once, in the order of the ids. @throws AppError `not_found` for a job that is not the account's */
export async function readOwnJobs(
  queries: Queries,
  accountId: string,
  written: readonly string[],
  promptLength = 0,
): Promise<Job[]> {
  const ids = [...new Set(written.map((id) => readId(id) ?? ''))];
  if (ids.includes('')) throw unknownJob();
  const jobs = await findOwnJobs(queries, accountId, ids, promptLength);
  if (jobs.length < ids.length) throw unknownJob();
  return jobs;
}

// The abort reason that ends a wait. Without a reason, each abort would create an exception with a stack.
const enough = 'enough';

/** Returns the job when it ends, or unfinished after `waitMs`. */
export async function waitForJob(
  deps: { readJob: ReadJob; signals: JobSignals },
  wanted: WantedJob & { waitMs: number; signal: AbortSignal },
): Promise<Job> {
  const endAt = performance.now() + wanted.waitMs;
  for (;;) {
    // Subscribes before it reads, because a job that ends in between would be missed.
    const changed = new AbortController();
    const finished = deps.signals.waitForFinish(
      wanted.jobId.toLowerCase(),
      Math.max(0, Math.min(recheckMs, endAt - performance.now())),
      AbortSignal.any([wanted.signal, changed.signal]),
    );
    const job = await getJob(deps, wanted).catch((error: unknown) => {
      changed.abort(enough);
      throw error;
    });
    if (
      job.status === 'done' ||
      job.status === 'failed' ||
      performance.now() >= endAt ||
      wanted.signal.aborted
    ) {
      changed.abort(enough);
      return job;
    }
    await finished;
  }
}

/** Yields the job immediately and after each change of its status; `undefined` after a check without a change. */
export async function* followJob(
  deps: { readJob: ReadJob; signals: JobSignals },
  wanted: WantedJob & { seen: string | undefined; signal: AbortSignal },
): AsyncGenerator<Job | undefined> {
  let { seen } = wanted;
  while (!wanted.signal.aborted) {
    const enough = new AbortController();
    const signal = AbortSignal.any([wanted.signal, enough.signal]);
    // Subscribes before it reads, because a change in between would be missed.
    const changed = deps.signals.waitForChange(wanted.jobId.toLowerCase(), recheckMs, signal);
    try {
      const job = await getJob(deps, wanted);
      yield job.status === seen ? undefined : job;
      if (job.status === 'done' || job.status === 'failed') return;
      seen = job.status;
      await changed;
    } finally {
      enough.abort();
    }
  }
}

export function unknownJob(): AppError {
  return new AppError('not_found', 'There is no such job.');
}
