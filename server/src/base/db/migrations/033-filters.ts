/** Indexes for filters. Creating a job writes no more index entries than before: a new job is in no partial index. */
export function filters(): string[] {
  return [
    'drop index jobs_by_account',
    'create index jobs_by_account on jobs (account_id, id, model, key_id, resolution)',
    `create index jobs_failed on jobs (account_id, id) where status = 'failed'`,
    'create index jobs_by_colours on jobs (account_id, id, colours) where colours is not null',
  ];
}
