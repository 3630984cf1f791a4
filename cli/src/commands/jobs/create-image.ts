import { resolve } from 'node:path';
import { type Job, type JobCreated, JobFailed, type JobRequest, type ModelId } from '@darkroom/sdk';
import { connect } from '../../client.ts';
import type { readInputs } from '../../files/read-inputs.ts';
import { fileFor, saveImage, type Target } from '../../files/save-image.ts';
import { followJob } from '../../follow-job.ts';
import { quoteForShell } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { noteRetry, type Progress } from '../../progress.ts';

export interface Wanted {
  model: ModelId;
  request: JobRequest;
  images: Awaited<ReturnType<typeof readInputs>>;
  /** At most one mask, for the first image. */
  masks: Wanted['images'];
  target: Target;
}

/** Returns the job, and the command that resumes waiting for it. */
export async function createImage(
  { model, request, images, masks: [mask], target }: Wanted,
  progress: Progress,
): Promise<{ created: JobCreated; comeBack: string }> {
  const darkroom = await connect({ onRetry: noteRetry(progress) });
  progress.show('sending');
  const farewell = {
    message: 'Stopped before the server answered. It may have accepted the job.',
    next: 'look for it with: darkroom jobs list',
  };
  const whole = {
    ...request,
    ...(images.length > 0 && { input_images: images }),
    ...(mask !== undefined && { mask }),
  };
  const created = await interruptible(farewell, (signal) => darkroom.createJob(model, whole, { signal }));
  const file = quoteForShell(fileFor(target, created, request.prompt));
  return { created, comeBack: `darkroom jobs wait ${created.job_id} -o ${file}` };
}

/** @throws JobFailed */
export async function collectImage(
  { created, comeBack }: Awaited<ReturnType<typeof createImage>>,
  { request: { prompt }, target }: Wanted,
  progress: Progress,
): Promise<{ job: Job; file: string }> {
  progress.show(created.status);
  const { job, darkroom } = await followJob(created.job_id, { progress, comeBack });
  if (job.status === 'failed') throw new JobFailed(job);
  const farewell = { message: 'Stopped before the image was saved.', next: `get it with: ${comeBack}` };
  const file = await interruptible(farewell, (signal) =>
    saveImage({ darkroom, job, target, prompt }, signal),
  );
  return { job, file };
}

export function describeImage({ job, file }: { job: Job; file: string }) {
  return { ...job, file: resolve(file) };
}
