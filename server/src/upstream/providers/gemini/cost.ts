import { costOfTokens, type TokenPrices, type TokenUsage } from '../../prices/token-prices.ts';
import { pick, pickCount, pickList, pickText } from '../pick.ts';

// Google's list (ai.google.dev/gemini-api/docs/pricing) as gateways publish it.
const pricing = {
  source: 'https://www.getmaxim.ai/bifrost/llm-cost-calculator',
  read: '2026-11-24',
} as const;

/** Prices of the paid tier. A model that is not listed has no price. */
const prices: Readonly<Record<string, TokenPrices>> = {
  'gemini-3-pro-image': { textIn: 2, imageIn: 2, textOut: 12, imageOut: 120, ...pricing },
  'gemini-3.1-flash-image': { textIn: 0.5, imageIn: 0.5, textOut: 3, imageOut: 60, ...pricing },
};

/** The cost of the answer's `usageMetadata` by Google's price list, in micro-units. */
export function geminiCost(model: string, answer: unknown): bigint | undefined {
  return costOfTokens(Object.hasOwn(prices, model) ? prices[model] : undefined, readUsage(answer));
}

/** https://ai.google.dev/api/generate-content#UsageMetadata; thoughts are counted beside the candidates, and are text. */
function readUsage(answer: unknown): TokenUsage | undefined {
  const usage = pick(answer, 'usageMetadata');
  const [prompt, made] = [pickCount(usage, 'promptTokenCount'), pickCount(usage, 'candidatesTokenCount')];
  const imageOut = imagesOf(usage, 'candidatesTokensDetails');
  if (prompt === undefined || made === undefined || imageOut === undefined || imageOut > made)
    return undefined;
  // What was cached, or was added by a tool, has prices of its own.
  if (pickCount(usage, 'cachedContentTokenCount') || pickCount(usage, 'toolUsePromptTokenCount'))
    return undefined;
  const imageIn = Math.min(prompt, imagesOf(usage, 'promptTokensDetails') ?? 0);
  const textOut = made - imageOut + (pickCount(usage, 'thoughtsTokenCount') ?? 0);
  return { textIn: prompt - imageIn, imageIn, imageOut, textOut };
}

/** Undefined without the list: a count of all alone does not say what was made. */
function imagesOf(usage: unknown, list: string): number | undefined {
  if (!Array.isArray(pick(usage, list))) return undefined;
  return pickList(usage, list)
    .filter((one) => pickText(one, 'modality') === 'IMAGE')
    .reduce((sum: number, one) => sum + (pickCount(one, 'tokenCount') ?? 0), 0);
}
