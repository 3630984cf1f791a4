import type { Use } from '../../prices/rates.ts';
import { pick, pickCount, pickList, pickText } from '../pick.ts';

/** Thoughts are text, counted in addition to candidates: https://ai.google.dev/api/generate-content#UsageMetadata. */
export function geminiUse(answer: unknown): Use | undefined {
  const usage = pick(answer, 'usageMetadata');
  const [prompt, made] = [pickCount(usage, 'promptTokenCount'), pickCount(usage, 'candidatesTokenCount')];
  const imageOut = imagesOf(usage, 'candidatesTokensDetails');
  if (prompt === undefined || made === undefined || imageOut === undefined || imageOut > made)
    return undefined;
  // Cached tokens, and tokens added by a tool, are priced differently.
  if (pickCount(usage, 'cachedContentTokenCount') || pickCount(usage, 'toolUsePromptTokenCount'))
    return undefined;
  const imageIn = Math.min(prompt, imagesOf(usage, 'promptTokensDetails') ?? 0);
  const textOut = made - imageOut + (pickCount(usage, 'thoughtsTokenCount') ?? 0);
  return { text_in: prompt - imageIn, image_in: imageIn, text_out: textOut, image_out: imageOut };
}

/** The image tokens in a list; undefined without a list, because the total does not separate text from images. */
function imagesOf(usage: unknown, list: string): number | undefined {
  if (!Array.isArray(pick(usage, list))) return undefined;
  return pickList(usage, list)
    .filter((one) => pickText(one, 'modality') === 'IMAGE')
    .reduce((sum: number, one) => sum + (pickCount(one, 'tokenCount') ?? 0), 0);
}
