import type { PanelDeps } from './panel-deps.ts';

/** Until this process has the newest models and connections, and their routes. */
export async function followChanges({
  catalogue,
  routes,
}: Pick<PanelDeps, 'catalogue' | 'routes'>): Promise<void> {
  await catalogue.refresh();
  await routes.followed();
}
