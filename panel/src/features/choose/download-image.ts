import type { Job } from '@darkroom/server/panel-contract';
import { imageFileOf } from '../presets/image-file.ts';

export function downloadImage(accountId: string, job: Job): void {
  if (!job.result?.image_url) return;
  const link = document.createElement('a');
  link.href = imageFileOf(accountId, job.job_id);
  link.download = '';
  link.click();
}
