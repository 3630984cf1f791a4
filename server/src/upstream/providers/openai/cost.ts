import { costOfTokens, type TokenPrices, type TokenUsage } from '../../prices/token-prices.ts';
import { pick, pickCount } from '../pick.ts';

const models = 'https://developers.openai.com/api/docs/models';
/** The prices of the successors of `gpt-image-1.5`, as in the calendar of models. */
const current = { textIn: 5, imageIn: 8, imageOut: 30, read: '2026-11-24' } as const;

/** Prices by OpenAI's names, which deployments of Azure often use. Any other name has no price. */
const prices: Readonly<Record<string, TokenPrices>> = {
  'gpt-image-1': {
    textIn: 5,
    imageIn: 10,
    imageOut: 40,
    source: `${models}/gpt-image-1`,
    read: '2026-11-24',
  },
  'gpt-image-1-mini': {
    ...{ textIn: 2, imageIn: 2.5, imageOut: 8 },
    ...{ source: `${models}/gpt-image-1-mini`, read: '2026-11-24' },
  },
  'gpt-image-2': {
    ...current,
    source: 'https://github.com/BerriAI/litellm, model_prices_and_context_window.json',
  },
  'gpt-image-2.6-flare': { ...current, source: 'server/src/upstream/calendar/calendar.json' },
  'gpt-image-2.6-sunburst': { ...current, source: 'server/src/upstream/calendar/calendar.json' },
};

/** The cost of the answer's `usage` by the vendor's price list, in micro-units. */
export function openAiCost(model: string, answer: unknown): bigint | undefined {
  return costOfTokens(Object.hasOwn(prices, model) ? prices[model] : undefined, readUsage(answer));
}

/** https://developers.openai.com/api/reference/resources/images: `usage` tells text and images of the input apart. */
function readUsage(answer: unknown): TokenUsage | undefined {
  const usage = pick(answer, 'usage');
  const textIn = pickCount(usage, 'input_tokens_details', 'text_tokens');
  const imageIn = pickCount(usage, 'input_tokens_details', 'image_tokens');
  const out = pickCount(usage, 'output_tokens');
  if (textIn === undefined || imageIn === undefined || out === undefined) return undefined;
  // Without details, all output is the image.
  const textOut = pickCount(usage, 'output_tokens_details', 'text_tokens') ?? 0;
  return textOut > out ? undefined : { textIn, imageIn, imageOut: out - textOut, textOut };
}
