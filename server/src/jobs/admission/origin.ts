import { isUuid } from '../../base/std/ids.ts';
import { type AppError, invalidField } from '../../errors.ts';
import type { ReadJob } from '../get-job.ts';
import type { Origin } from '../job.ts';
import type { Unserved } from './decide-admissions.ts';

export interface OriginDeps {
  readJob: ReadJob;
  /** Finds the job whose image this link shows; undefined if the link shows none. */
  jobOfLink(url: string): string | undefined;
}

export function readOrigin(given: { job_id: string; kind: 'again' | 'edit' } | undefined): Origin | null {
  return given ? { jobId: given.job_id.toLowerCase(), kind: given.kind } : null;
}

const field = '/origin/job_id';
const foreignMistake = 'must be a job of this account.';

/** Whether a request names a job that is not of this account, or that was removed. */
export async function isForeignOrigin(
  { readJob }: Pick<OriginDeps, 'readJob'>,
  accountId: string,
  origin: Origin | null,
): Promise<boolean> {
  if (!origin) return false;
  const job = isUuid(origin.jobId) ? await readJob(origin.jobId) : undefined;
  return job?.accountId !== accountId;
}

export function foreignOrigin(): AppError {
  return invalidField(field, foreignMistake);
}

/** Refuses a foreign origin in admission, because a repetition gets its job also after its origin was removed. */
export function findForeign(
  { hasForeignOrigin = false }: { hasForeignOrigin?: boolean },
  pointer: string | null = null,
): Unserved | null {
  return hasForeignOrigin ? { why: foreignMistake, field, pointer, isMistake: true } : null;
}

/** Finds the first input that is the image of a job of this account. A URL that is no link of ours needs no query. */
export async function findInputOrigin(
  { readJob, jobOfLink }: OriginDeps,
  accountId: string,
  urls: readonly string[],
): Promise<Origin | null> {
  for (const url of urls) {
    const jobId = jobOfLink(url);
    const job = jobId === undefined ? undefined : await readJob(jobId);
    if (job?.accountId === accountId) return { jobId: job.id, kind: 'input' };
  }
  return null;
}
