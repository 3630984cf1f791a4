import type { FastifyReply } from 'fastify';
import { clientGone } from '../../../base/http/client-gone.ts';
import { resultLink } from '../../../images/image-links.ts';
import { usualOutput } from '../../../images/output.ts';
import type { Job } from '../../../jobs/job.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import type { DoorDeps } from '../door-deps.ts';
import { openImages, streamOf, withoutImage } from '../image-pieces.ts';
import type { ImageOptions } from './read-options.ts';
import { toSeconds } from './unix-time.ts';

export type AnswerOptions = Pick<ImageOptions, 'answerWith' | 'quality' | 'safetyIdentifier'>;

export function answerOptions(options: ImageOptions): AnswerOptions {
  const { answerWith, quality, safetyIdentifier } = options;
  return { answerWith, quality, safetyIdentifier };
}

/** Sends base64 in pieces, so that no whole image is in memory. */
export async function sendImages(
  deps: DoorDeps,
  reply: FastifyReply,
  { jobs, options }: { jobs: readonly Job[]; options: AnswerOptions },
): Promise<FastifyReply> {
  const made = jobs.filter(({ image }) => image);
  if (made.length === 0) throw withoutImage(jobs);
  const answer = await writeAnswer(deps, made, options, clientGone(reply));
  return reply
    .type('application/json; charset=utf-8')
    .send(typeof answer === 'string' ? answer : streamOf(answer));
}

/** Opens the first image before it returns. @throws the same errors as `openImages` */
export async function writeAnswer(
  deps: DoorDeps,
  made: readonly Job[],
  options: AnswerOptions,
  signal: AbortSignal,
): Promise<string | AsyncIterable<string>> {
  const described = describeImages(made, options);
  if (options.answerWith === 'b64_json')
    return pieces(JSON.stringify(described), await openImages(deps, made, signal));
  const data = made.flatMap(({ id, image }) => (image ? { url: resultLink(deps.links, id, image) } : []));
  return JSON.stringify({ ...described, data });
}

/** Describes all images by the first one. They differ only if the request leaves a choice to `auto`. */
export function describeImages(made: readonly Job[], options: AnswerOptions) {
  const [first] = made;
  return {
    created: toSeconds(first?.finishedAt ?? 0),
    background: first?.output?.background === 'transparent' ? 'transparent' : 'opaque',
    output_format: first?.output?.format ?? usualOutput.output_format,
    ...(first?.image && { size: `${first.image.width}x${first.image.height}` }),
    ...(options.quality !== 'auto' && { quality: options.quality }),
    ...(options.safetyIdentifier && { safety_identifier: options.safetyIdentifier }),
    usage: usageOf(made),
  };
}

/** All numbers of tokens are zero, because images have fixed prices and no tokens are counted. */
function usageOf(made: readonly Job[]) {
  const none = { image_tokens: 0, text_tokens: 0 };
  return {
    input_tokens: 0,
    input_tokens_details: none,
    output_tokens: 0,
    output_tokens_details: none,
    total_tokens: 0,
    price: formatMicros(made.reduce((sum, { priceMicros }) => sum + priceMicros, 0n)),
  };
}

/** Writes the images as the last field, so that they can be sent while they are read. */
async function* pieces(
  described: string,
  images: AsyncIterable<AsyncIterable<string>>,
): AsyncIterable<string> {
  let before = `${described.slice(0, -1)},"data":[{"b64_json":"`;
  for await (const image of images) {
    yield before;
    yield* image;
    before = '"},{"b64_json":"';
  }
  yield '"}]}';
}
