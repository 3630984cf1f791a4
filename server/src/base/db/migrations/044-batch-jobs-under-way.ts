/** Finds a batch's unfinished jobs, and counts those in processing, without reading jobs that have ended. */
export function batchJobsUnderWay(): string[] {
  return [
    `create index jobs_of_batch_under_way on jobs (batch_id, status, batch_index) where batch_id is not null and status in ('queued', 'processing')`,
  ];
}
