import type { Dialect } from './dialect.ts';

export function deadlines({ int }: Dialect): string[] {
  return [
    `alter table jobs add column deadline_at ${int}`,
    "create index jobs_by_deadline on jobs (deadline_at) where deadline_at is not null and status in ('queued', 'processing')",
  ];
}
