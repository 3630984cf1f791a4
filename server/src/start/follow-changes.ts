import type { Base } from './open-base.ts';

/** Until this process has the newest brand, prices, rates, models and connections, and their routes. */
export async function followChanges({
  catalogue,
  prices,
  rates,
  brand,
  routes,
}: Pick<Base, 'catalogue' | 'prices' | 'rates' | 'brand' | 'routes'>): Promise<void> {
  await brand.refresh();
  await prices.refresh();
  await rates.refresh();
  await catalogue.refresh();
  await routes.followed();
}
