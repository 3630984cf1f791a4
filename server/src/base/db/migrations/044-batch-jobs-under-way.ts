export function batchJobsUnderWay(): string[] {
  return [
    `create index jobs_of_batch_under_way on jobs (batch_id, status, batch_index) where batch_id is not null and status in ('queued', 'processing')`,
  ];
}
