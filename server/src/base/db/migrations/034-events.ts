import type { Dialect } from './dialect.ts';

const ofJobs = `(data is null) = (type in ('job.done', 'job.failed'))`;

/**
 * Events that are not about a job keep their content in `data` and the id of their subject in `job_id`. Their
 * types are not listed here: SQLite cannot change a CHECK, so each new type would rewrite all rows. The
 * column keeps its name, because processes of the previous version write it until they are replaced.
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

/**
 * Replaces only the column, because deliveries refer to the table. A new table would also forget the last event number,
 * which clients keep as their cursor.
 */
const writtenAnew = [
  `alter table events add column kind text not null default ''`,
  'update events set kind = type',
  'alter table events drop column type',
  'alter table events rename column kind to type',
  `alter table events add column data text constraint events_of_jobs check (${ofJobs})`,
];
