import { toIso } from '../../../../base/std/iso-time.ts';
import type { Job } from '../../../../jobs/job.ts';
import { imageGone } from '../../../../jobs/link-image.ts';
import { mark } from '../answer-of.ts';

const counts = { total_input_tokens: 0, total_output_tokens: 0, total_tokens: 0 };

export function interactionOf(job: Job): { head: string; tail: string } {
  const steps = job.image ? [{ type: 'model_output', content: [imageOf(job.image)] }] : [];
  const [head = '', ...tail] = JSON.stringify({ ...describeInteraction(job), steps }).split(mark);
  return { head, tail: tail.join(mark) };
}

export function imageOf({ mediaType }: Pick<NonNullable<Job['image']>, 'mediaType'>) {
  return { type: 'image', mime_type: mediaType, data: mark };
}

/** @throws AppError `image_gone` if its image was removed */
export function describeInteraction(job: Job) {
  const { id, model, error, errorCode, image } = job;
  if (job.status === 'done' && !image) throw imageGone();
  const failed = errorCode !== null && errorCode !== 'cancelled';
  return {
    id,
    object: 'interaction',
    model,
    status: statusOf(job),
    created: toIso(job.createdAt),
    updated: toIso(job.finishedAt ?? job.startedAt ?? job.createdAt),
    ...(failed && { errors: [{ code: errorCode, message: error }] }),
    // The counts are zero, because images have fixed prices and tokens are not counted.
    usage: counts,
  };
}

function statusOf({ status, errorCode }: Job): string {
  switch (status) {
    case 'queued':
    case 'processing':
      return 'in_progress';
    case 'done':
      return 'completed';
    case 'failed':
      return errorCode === 'cancelled' ? 'cancelled' : 'failed';
  }
}
