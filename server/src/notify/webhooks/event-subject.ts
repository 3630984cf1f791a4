/** What an event is about: a job, or what it tells by itself. */
export interface EventSubject {
  /** The job that ended; null where the event tells of something else. */
  jobId: string | null;
  /** What it tells, where that is no job. */
  data: object | null;
}

export function subjectOf(row: { job_id: string; data: string | null }): EventSubject {
  if (row.data === null) return { jobId: row.job_id, data: null };
  return { jobId: null, data: JSON.parse(row.data) as object }; // written by `recordNotices`
}
