import type { Base } from './open-base.ts';

/** Until this process has the newest brand, prices, models and connections, and their routes. */
export async function followChanges({
  catalogue,
  prices,
  brand,
  routes,
}: Pick<Base, 'catalogue' | 'prices' | 'brand' | 'routes'>): Promise<void> {
  await brand.refresh();
  await prices.refresh();
  await catalogue.refresh();
  await routes.followed();
}
