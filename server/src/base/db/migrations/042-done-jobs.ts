/** Indexes done and failed jobs by values that never change, so that only the end of a job writes the indexes. */
export function doneJobs(): string[] {
  return [
    `create index jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done'`,
    'drop index jobs_failed',
    `create index jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed'`,
  ];
}
