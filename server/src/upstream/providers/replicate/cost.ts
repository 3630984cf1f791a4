/** Replicate's price of an output image of an official model, in micro-units of `reportedCurrency`. Other models cost by the second. */
interface ImagePrice {
  imageMicros: bigint;
  source: string;
  read: string;
}

/** Prices by Replicate's names, from its own pages only; routes of other models need a `cost`. */
const prices: Readonly<Record<string, ImagePrice>> = {
  'black-forest-labs/flux-schnell': {
    imageMicros: 3_000n,
    source: 'https://replicate.com/black-forest-labs/flux-schnell#pricing',
    read: '2026-11-26',
  },
};

/** The cost of a successful prediction with this output: one link, or a list. Failed ones cost nothing. */
export function replicateCost(model: string, output: unknown): bigint | undefined {
  if (!Object.hasOwn(prices, model)) return undefined;
  const images = Array.isArray(output) ? output.length : 1;
  return (prices[model]?.imageMicros ?? 0n) * BigInt(images);
}
