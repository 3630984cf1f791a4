/**
 * So that done jobs are found beside any number that failed, and those of a model beside any of others: what never changes
 * stands in both indexes, as in that of all jobs of an account. Only ends write them.
 */
export function doneJobs(): string[] {
  return [
    `create index jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done'`,
    'drop index jobs_failed',
    `create index jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed'`,
  ];
}
