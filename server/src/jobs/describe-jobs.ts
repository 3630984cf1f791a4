import type { Database } from '../base/db/database.ts';
import type { LinkSigner } from '../images/image-links.ts';
import { findJobs } from './job-store.ts';
import { type PresentedJob, presentJob } from './present-job.ts';

/** Returns a function that presents jobs by their ids, with fresh links and without removed jobs. */
export function createDescribeJobs(
  database: Database,
  links: LinkSigner,
): (jobIds: readonly string[]) => Promise<Map<string, PresentedJob>> {
  return async (jobIds) => {
    const jobs = await findJobs(database.read, jobIds);
    return new Map(jobs.map((job) => [job.id, presentJob(job, links)]));
  };
}
