import type { Job, JobErrorCode } from '../../../jobs/job.ts';
import { imageGone } from '../../../jobs/link-image.ts';
import { errorInfo, GoogleFailure, googleError } from './google-error.ts';

/**
 * Google's form of each failure. A safety block is not an error. Only failures that may be temporary have a status
 * after which Google's clients retry.
 */
const ends: Record<JobErrorCode, { finishReason: string } | { status: number; word?: string }> = {
  safety_blocked: { finishReason: 'IMAGE_SAFETY' },
  policy_refused: { finishReason: 'IMAGE_SAFETY' },
  no_image: { finishReason: 'NO_IMAGE' },
  invalid_input: { status: 400 },
  provider_rejected: { status: 400, word: 'FAILED_PRECONDITION' },
  provider_unavailable: { status: 503 },
  timed_out: { status: 504 },
  deadline_exceeded: { status: 504 },
  interrupted: { status: 503 },
  cancelled: { status: 499 },
  internal: { status: 500 },
};

/** @throws GoogleFailure for a failure without a `finishReason`; AppError `image_gone` */
export function answerOf(job: Job): { head: string; tail: string } {
  if (job.image) {
    const parts = [{ inlineData: { mimeType: job.image.mediaType, data: mark } }];
    const [head = '', ...tail] = present(job, {
      content: { parts, role: 'model' },
      finishReason: 'STOP',
    }).split(mark);
    return { head, tail: tail.join(mark) };
  }
  if (job.status === 'done') throw imageGone();
  const code = job.errorCode ?? 'internal';
  const finishMessage = job.error ?? 'The job failed.';
  const end = ends[code];
  if ('finishReason' in end)
    return { head: present(job, { content: { role: 'model' }, ...end, finishMessage }), tail: '' };
  const details = [errorInfo(code.toUpperCase())];
  throw new GoogleFailure(googleError(end.status, finishMessage, { details, status: end.word }));
}

/** The image's placeholder. The first occurrence is always the placeholder, because variable text comes after it. */
export const mark = '{image}';

/** The counts for programs that count tokens. They are zero, because images have fixed prices. */
const usageMetadata = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };

function present(job: Job, candidate: object): string {
  return JSON.stringify({
    candidates: [{ ...candidate, index: 0 }],
    usageMetadata,
    modelVersion: job.model,
    responseId: job.id,
  });
}
