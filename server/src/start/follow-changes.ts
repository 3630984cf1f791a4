import type { Base } from './open-base.ts';

/** Until this process has the newest models and connections, and their routes. */
export async function followChanges({
  catalogue,
  routes,
}: Pick<Base, 'catalogue' | 'routes'>): Promise<void> {
  await catalogue.refresh();
  await routes.followed();
}
