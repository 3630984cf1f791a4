/**
 * Finds the unfinished jobs of a batch, and counts the processing ones, without reading those that have ended. Jobs
 * without a batch write nothing here.
 */
export function batchJobsUnderWay(): string[] {
  return [
    `create index jobs_of_batch_under_way on jobs (batch_id, status, batch_index) where batch_id is not null and status in ('queued', 'processing')`,
  ];
}
