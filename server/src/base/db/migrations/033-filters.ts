/**
 * So that jobs that meet a filter are found without reading the jobs that do not: what never changes stands in the index of
 * the account's jobs, which makes no create write more entries, and the others are written at ends and afterwards alone.
 */
export function filters(): string[] {
  return [
    'drop index jobs_by_account',
    'create index jobs_by_account on jobs (account_id, id, model, key_id, resolution)',
    `create index jobs_failed on jobs (account_id, id) where status = 'failed'`,
    'create index jobs_by_colours on jobs (account_id, id, colours) where colours is not null',
  ];
}
