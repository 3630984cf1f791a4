import type { Base } from './open-base.ts';

/** Until this process has the newest prices, models and connections, and their routes. */
export async function followChanges({
  catalogue,
  prices,
  routes,
}: Pick<Base, 'catalogue' | 'prices' | 'routes'>): Promise<void> {
  await prices.refresh();
  await catalogue.refresh();
  await routes.followed();
}
