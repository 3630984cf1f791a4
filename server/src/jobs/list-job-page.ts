import type { Database } from '../base/db/database.ts';
import type { Job } from './job.ts';
import { type JobFilter, listJobs } from './job-list-store.ts';
import { type SearchPosition, searchJobs } from './search/search-jobs.ts';

/** The last job of a page, or the last entry in a search. */
export type ListPosition = readonly [jobId: string] | SearchPosition;

export interface JobListQuery extends JobFilter {
  /** Words of the prompt. The last one may be incomplete. */
  words?: string;
}

export interface JobPage {
  jobs: Job[];
  /** Null on the last page. */
  next: ListPosition | null;
}

export async function listJobPage(
  database: Database,
  { words, ...filter }: JobListQuery,
  page: { after?: ListPosition | undefined; limit: number; promptLength?: number | undefined },
): Promise<JobPage> {
  const { after, limit, promptLength } = page;
  // One job more than a page has, to see whether another page follows.
  const more = limit + 1;
  const { accountId } = filter;
  // Without an account, ignores the words, because the index of words needs one.
  if (words === undefined || accountId === undefined) {
    const before = after?.length === 1 ? after[0] : undefined;
    const jobs = await listJobs(database.reports, filter, { before, limit: more, promptLength });
    return toPage(
      jobs.map((job) => ({ job, position: [job.id] })),
      limit,
    );
  }
  const before = after?.length === 2 ? after : undefined;
  return toPage(
    await searchJobs(database, { ...filter, accountId }, words, { before, limit: more, promptLength }),
    limit,
  );
}

function toPage(found: readonly { job: Job; position: ListPosition }[], limit: number): JobPage {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    jobs: shown.map(({ job }) => job),
    next: last && found.length > limit ? last.position : null,
  };
}
