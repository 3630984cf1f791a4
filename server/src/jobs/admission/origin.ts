import { isUuid } from '../../base/std/ids.ts';
import { invalidField } from '../../errors.ts';
import type { ReadJob } from '../get-job.ts';
import type { Origin } from '../job.ts';

export interface OriginDeps {
  readJob: ReadJob;
  /** Finds the job whose image this link shows; undefined if the link shows none. */
  jobOfLink(url: string): string | undefined;
}

export function readOrigin(given: { job_id: string; kind: 'again' | 'edit' } | undefined): Origin | null {
  return given ? { jobId: given.job_id.toLowerCase(), kind: given.kind } : null;
}

/** @throws AppError `invalid_request` for a job that is not of this account */
export async function assertOwnOrigin(
  { readJob }: Pick<OriginDeps, 'readJob'>,
  accountId: string,
  { jobId }: Origin,
): Promise<void> {
  const job = isUuid(jobId) ? await readJob(jobId) : undefined;
  if (job?.accountId !== accountId) throw invalidField('/origin/job_id', 'must be a job of this account.');
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
