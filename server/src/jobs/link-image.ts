import type { Database } from '../base/db/database.ts';
import { readId } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { type LinkSigner, resultLink } from '../images/image-links.ts';
import { type ReadJob, unknownJob } from './get-job.ts';
import type { Job, ResultImage } from './job.ts';
import { findOwnerOfRemoved } from './job-store.ts';

export type MaySee = (accountId: string, job: Pick<Job, 'clientTokenId'>) => boolean | Promise<boolean>;

/** @throws AppError `not_found`, also for another account's job; `job_not_finished`, `image_gone` */
export async function linkImage(
  { database, readJob, links }: { database: Database; readJob: ReadJob; links: LinkSigner },
  written: string,
  maySee: MaySee,
): Promise<string> {
  const jobId = readId(written);
  if (jobId === undefined) throw unknownJob();
  const job = await readJob(jobId);
  if (!job) {
    const owner = await findOwnerOfRemoved(database.read, jobId);
    if (owner === undefined || !(await maySee(owner, { clientTokenId: null }))) throw unknownJob();
    throw imageGone();
  }
  if (!(await maySee(job.accountId, job))) throw unknownJob();
  return resultLink(links, job.id, imageOf(job));
}

/** @throws AppError `job_not_finished`, `image_gone`, `not_found` */
export function imageOf(job: Job): ResultImage {
  if (job.finishedAt === null) throw new AppError('job_not_finished', 'The job has not ended yet.');
  if (job.imageDeletedAt !== null) throw imageGone();
  if (!job.image) throw new AppError('not_found', 'The job failed, so it has no image.');
  return job.image;
}

export function imageGone(): AppError {
  return new AppError('image_gone', 'This image was deleted.');
}
