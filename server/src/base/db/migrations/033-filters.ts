/**
 * Finds jobs by a filter without reading other jobs. Columns that never change join the index of the account's jobs, so
 * that a create writes no additional index entries; the other indexes are written only when a job ends or later.
 */
export function filters(): string[] {
  return [
    'drop index jobs_by_account',
    'create index jobs_by_account on jobs (account_id, id, model, key_id, resolution)',
    `create index jobs_failed on jobs (account_id, id) where status = 'failed'`,
    'create index jobs_by_colours on jobs (account_id, id, colours) where colours is not null',
  ];
}
