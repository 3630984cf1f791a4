/**
 * So that the jobs of a batch which have not ended are found, and those that are processing counted, without reading all that have.
 * Ordinary jobs are in no batch, and write nothing here.
 */
export function batchJobsUnderWay(): string[] {
  return [
    `create index jobs_of_batch_under_way on jobs (batch_id, status, batch_index) where batch_id is not null and status in ('queued', 'processing')`,
  ];
}
