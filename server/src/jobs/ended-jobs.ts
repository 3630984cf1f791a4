import type { Selectable } from 'kysely';
import type { JobsTable } from '../base/db/schema.ts';
import type { Job } from './job.ts';
import { toJob } from './job-store.ts';

type Row = Selectable<JobsTable>;

// The number of ended jobs to keep in memory. They take at most a few megabytes.
const maxKept = 1_000;
const maxPromptLength = 2_000;

/** Converts rows to jobs. Returns the same object while a row is unchanged, so callers can cache derived values. */
export function keepEnded(): (row: Row) => Job {
  const kept = new Map<string, { row: Row; job: Job }>();
  return (row) => {
    const last = kept.get(row.id);
    if (last && isSame(last.row, row)) return last.job;
    const job = toJob(row);
    kept.delete(row.id);
    if (job.finishedAt !== null && job.prompt.length <= maxPromptLength) kept.set(row.id, { row, job });
    if (kept.size > maxKept) for (const [oldest] of kept.entries().take(1)) kept.delete(oldest);
    return job;
  };
}

function isSame(one: Row, other: Row): boolean {
  for (const column in one) if (one[column as keyof Row] !== other[column as keyof Row]) return false;
  return true;
}
