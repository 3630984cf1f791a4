import type { ModelId, Resolution } from './models.ts';

/** Micro-units per image. A resolution that a model does not take has no price. */
export type Prices = Record<ModelId, Partial<Record<Resolution, bigint>>>;

export const defaultPrices: Prices = {
  nb: { '1K': 20_000n },
  nb2: { '1K': 40_000n, '2K': 60_000n, '4K': 90_000n },
  pro: { '1K': 80_000n, '2K': 100_000n, '4K': 150_000n },
};

export function priceOf(prices: Prices, model: ModelId, resolution: Resolution): bigint {
  const price = prices[model][resolution];
  if (price === undefined) throw new Error(`no price for ${model} at ${resolution}`);
  return price;
}
