/**
 * Finds done jobs among any number that failed, and those of a model among any of others. Both indexes hold values that never
 * change, as that of all jobs of an account does. Only ends of jobs write them.
 */
export function doneJobs(): string[] {
  return [
    `create index jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done'`,
    'drop index jobs_failed',
    `create index jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed'`,
  ];
}
