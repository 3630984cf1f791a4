/** What Replicate asks for an output image of an official model, in micro-units of `reportedCurrency`. Of others it charges seconds. */
interface ImagePrice {
  imageMicros: bigint;
  source: string;
  read: string;
}

/** By Replicate's own names. Only prices that its own pages say; give routes of other models a `cost`. */
const prices: Readonly<Record<string, ImagePrice>> = {
  'black-forest-labs/flux-schnell': {
    imageMicros: 3_000n,
    source: 'https://replicate.com/black-forest-labs/flux-schnell#pricing',
    read: '2026-11-26',
  },
};

/** What a prediction costs that succeeded with this output: one link, or a list of them. Failed ones have none. */
export function replicateCost(model: string, output: unknown): bigint | undefined {
  if (!Object.hasOwn(prices, model)) return undefined;
  const images = Array.isArray(output) ? output.length : 1;
  return (prices[model]?.imageMicros ?? 0n) * BigInt(images);
}
