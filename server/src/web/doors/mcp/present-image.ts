import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import Type, { type Static } from 'typebox';
import { amount, closed, nullable, nullableOneOf, oneOf } from '../../../base/http/schemas.ts';
import { resultLink } from '../../../images/image-links.ts';
import { makePreview } from '../../../images/make-preview.ts';
import { extensions } from '../../../images/media-types.ts';
import { type Job, type JobErrorCode, jobErrorCodes, jobStatuses } from '../../../jobs/job.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import type { DoorDeps } from '../door-deps.ts';

export const imageSchema = closed({
  job_id: Type.String({ description: 'The id of the image, for get_job and for `images`.' }),
  status: oneOf(jobStatuses),
  model: Type.String(),
  aspect_ratio: Type.String(),
  resolution: Type.String(),
  price: amount('Charged when done, given back when failed.'),
  currency: Type.String(),
  image_url: nullable(Type.String(), {
    description: 'The full image; anyone with the link can open it for 24 hours.',
  }),
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  error: nullable(Type.String()),
  error_code: nullableOneOf(jobErrorCodes),
});

export async function presentImage(
  { links, images, currency, log }: Pick<DoorDeps, 'links' | 'images' | 'currency' | 'log'>,
  job: Job,
): Promise<CallToolResult> {
  const price = formatMicros(job.priceMicros);
  const url = job.image ? resultLink(links, job.id, job.image) : null;
  const structuredContent: Static<typeof imageSchema> = {
    job_id: job.id,
    status: job.status,
    model: job.model,
    aspect_ratio: job.aspectRatio ?? job.requestedRatio,
    resolution: job.resolution,
    price,
    currency,
    image_url: url,
    width: job.image?.width ?? null,
    height: job.image?.height ?? null,
    error: job.error,
    error_code: job.errorCode,
  };
  if (job.status === 'failed') return { ...answer(describeFailure(job), structuredContent), isError: true };
  if (job.deletedImage) return answer(`The image of job ${job.id} was deleted.`, structuredContent);
  if (!job.image || url === null) return answer(describeWaiting(job), structuredContent);
  const { width, height, bytes, mediaType } = job.image;
  const text = `Done: ${width} × ${height} pixels, made by ${job.model} for ${price} ${currency}, job_id ${job.id}.\nThe full image, for the user: ${url}`;
  // The image is done and charged, so if the preview fails, the answer still has the link.
  const preview = await makePreview(images, job.image).catch((error: unknown) => {
    log.warn('mcp.no_preview', { job_id: job.id, reason: String(error) });
    return undefined;
  });
  const shown: ContentBlock[] = preview
    ? [{ type: 'image', data: preview.toString('base64'), mimeType: 'image/webp' }]
    : [];
  const name = `${job.id}.${extensions[mediaType]}`;
  const link: ContentBlock = {
    type: 'resource_link',
    uri: url,
    name,
    title: 'The full image',
    mimeType: mediaType,
    size: bytes,
  };
  return { content: [{ type: 'text', text }, ...shown, link], structuredContent };
}

function answer(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

function describeWaiting({ id, status }: Job): string {
  return `The image is not finished: it is ${status}. Call get_job with job_id ${id} and wait_seconds 50. Do not call generate_image for it again, which would make and charge a second one.`;
}

function describeFailure({ id, error, errorCode }: Job): string {
  return `No image was made and nothing was charged (job_id ${id}). ${error ?? ''} ${next[errorCode ?? 'internal']}`;
}

const next: Record<JobErrorCode, string> = {
  safety_blocked: 'Do not send it again unchanged; ask the user how to change the description or the images.',
  policy_refused: 'Do not send it again unchanged; ask the user how to change the description or the images.',
  no_image: 'Describe plainly what the image shows, and call generate_image again.',
  invalid_input: 'Use other images.',
  provider_unavailable: 'Call generate_image with another model, or again in a minute.',
  provider_rejected: 'Change the description or the images, or use another model.',
  timed_out: 'Call generate_image with another model, or again in a minute.',
  deadline_exceeded: 'Call generate_image again.',
  interrupted: 'Call generate_image again.',
  cancelled: 'Do not send it again unless the user asks for it.',
  internal: 'Call generate_image once more; if it fails again, tell the user.',
};
