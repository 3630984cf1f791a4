export interface EventSubject {
  /** The job that ended; null for other events. */
  jobId: string | null;
  /** The payload; null if the event is about a job. */
  data: object | null;
}

export function subjectOf(row: { job_id: string; data: string | null }): EventSubject {
  if (row.data === null) return { jobId: row.job_id, data: null };
  return { jobId: null, data: JSON.parse(row.data) as object }; // written by `recordNotices`
}
