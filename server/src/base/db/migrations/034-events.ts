import type { Dialect } from './dialect.ts';

const ofJobs = `(data is null) = (type in ('job.done', 'job.failed'))`;

/**
 * Events that are not about a job have content in `data`. Their subject's id is in `job_id`, because older programs
 * write this column. A CHECK on `type` would make SQLite rewrite all rows for each new type.
 */
export function events({ kind }: Dialect): string[] {
  return [
    ...(kind === 'postgres' ? checkedAnew : writtenAnew),
    'create index events_of_no_job on events (account_id, created_at) where data is not null',
  ];
}

const checkedAnew = [
  'alter table events drop constraint events_type_check',
  'alter table events add column data text',
  `alter table events add constraint events_of_jobs check (${ofJobs})`,
];

/** Replaces only the column: a new table would forget the last event number, which clients keep as their cursor. */
const writtenAnew = [
  `alter table events add column kind text not null default ''`,
  'update events set kind = type',
  'alter table events drop column type',
  'alter table events rename column kind to type',
  `alter table events add column data text constraint events_of_jobs check (${ofJobs})`,
];
