import type { Prices } from '../../../accounts/price-groups/price-book.ts';
import type { PricedRequest, Variant } from '../create-request.ts';

export interface PricingDeps {
  prices: Prices;
}

/** The only place that prices jobs, for creates, batches, repetitions, other vendors' APIs and quotes. */
export function priceVariants(
  { prices }: PricingDeps,
  accountId: string,
  variants: readonly Variant[],
): Pick<PricedRequest, 'variants' | 'priceMicros'> {
  const priceOf = prices.of(accountId);
  const priced = variants.map(({ model, resolution, parameters }) => ({
    ...{ model, resolution, parameters, priceMicros: priceOf(model, resolution) },
  }));
  return { variants: priced, priceMicros: priced.reduce((sum, one) => sum + one.priceMicros, 0n) };
}
