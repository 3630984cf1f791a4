/**
 * Adds indexes that find done jobs among many failed ones, and a model's jobs among many others. Both indexes hold
 * values that never change, like the index of an account's jobs, and are written only when jobs end.
 */
export function doneJobs(): string[] {
  return [
    `create index jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done'`,
    'drop index jobs_failed',
    `create index jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed'`,
  ];
}
