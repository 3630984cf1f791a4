import type { Job } from '../../../jobs/job.ts';
import { toIso } from '../../../std/iso-time.ts';
import { mark } from '../answer-of.ts';

const counts = { total_input_tokens: 0, total_output_tokens: 0, total_tokens: 0 };

/** A job as an interaction: its JSON around the base64 of its picture, if it has one. */
export function interactionOf(job: Job): { head: string; tail: string } {
  const { id, model, image, error, errorCode } = job;
  const picture = { type: 'image', mime_type: image?.mediaType, data: mark };
  const failed = errorCode !== null && errorCode !== 'cancelled';
  const [head = '', ...tail] = JSON.stringify({
    id,
    object: 'interaction',
    model,
    status: statusOf(job),
    created: toIso(job.createdAt),
    updated: toIso(job.finishedAt ?? job.startedAt ?? job.createdAt),
    steps: image ? [{ type: 'model_output', content: [picture] }] : [],
    ...(failed && { errors: [{ code: errorCode, message: error }] }),
    // Pictures have a price here, and nobody counts tokens.
    usage: counts,
  }).split(mark);
  return { head, tail: tail.join(mark) };
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
