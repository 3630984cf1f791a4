import type { Job } from '@darkroom/server/panel-contract';
import { formatOf } from '../jobs/job-words.ts';

/** As the link beside it does. */
export function downloadPicture(job: Job): void {
  if (!job.result?.image_url) return;
  const link = document.createElement('a');
  link.href = job.result.image_url;
  link.download = `${job.job_id}.${formatOf(job)}`;
  link.click();
}
