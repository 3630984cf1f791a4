import type { Dialect } from './dialect.ts';

/** Adds the time after which a job's image is useless to its client. */
export function deadlines({ int }: Dialect): string[] {
  return [
    `alter table jobs add column deadline_at ${int}`,
    "create index jobs_by_deadline on jobs (deadline_at) where deadline_at is not null and status in ('queued', 'processing')",
  ];
}
