import type { Use } from '../../prices/rates.ts';
import { pick, pickCount } from '../pick.ts';

/** https://developers.openai.com/api/reference/resources/images: `usage` separates the input's text from its images. */
export function openAiUse(answer: unknown): Use | undefined {
  const usage = pick(answer, 'usage');
  const textIn = pickCount(usage, 'input_tokens_details', 'text_tokens');
  const imageIn = pickCount(usage, 'input_tokens_details', 'image_tokens');
  const out = pickCount(usage, 'output_tokens');
  if (textIn === undefined || imageIn === undefined || out === undefined) return undefined;
  // Without details, all output counts as the image's.
  const textOut = pickCount(usage, 'output_tokens_details', 'text_tokens') ?? 0;
  if (textOut > out) return undefined;
  return { text_in: textIn, image_in: imageIn, text_out: textOut, image_out: out - textOut };
}
