/** Indexes done jobs and a model's jobs by fixed values, so that the indexes are written only when jobs end. */
export function doneJobs(): string[] {
  return [
    `create index jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done'`,
    'drop index jobs_failed',
    `create index jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed'`,
  ];
}
