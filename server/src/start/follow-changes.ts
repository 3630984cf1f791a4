import type { Base } from './open-base.ts';

/** Waits until this process has the newest brand, prices, rates, models and connections, and their routes. */
export async function followChanges({ changes, routes }: Pick<Base, 'changes' | 'routes'>): Promise<void> {
  await changes.refresh();
  await routes.followed();
}
