import { letNoTerminalJobChange, settled } from './017-pictures.ts';
import type { Dialect } from './dialect.ts';

/** What clients say about their jobs, to find them by: pairs of their own with a create. */
export function find(dialect: Dialect): string[] {
  const { uuid, clustered } = dialect;
  return [
    'alter table jobs add column metadata text',
    ...letNoTerminalJobChange(dialect, [...settled, 'metadata']),
    `create table job_metadata (
      account_id ${uuid} not null,
      key text not null,
      value text not null,
      job_id ${uuid} not null,
      primary key (account_id, key, value, job_id)
    ) ${clustered}`,
    'create index job_metadata_by_job on job_metadata (job_id)',
  ];
}
