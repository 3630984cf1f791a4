/** The first reason why a model's waiting jobs do not start. `none`: they are about to, or are waiting for a retry. */
export type Hold = 'paused' | 'no_worker' | 'routes_out' | 'routes_full' | 'workers_busy' | 'none';

export function decideHold({
  isPaused,
  workers,
  routes,
}: {
  isPaused: boolean;
  workers: readonly { slots: number; jobs: number }[];
  /** The routes of the model. A route with `isOut` gets no jobs, even if slots are free. */
  routes: readonly { isOut: boolean; running: number; slots: number }[];
}): Hold {
  if (isPaused) return 'paused';
  if (workers.length === 0) return 'no_worker';
  if (routes.every(({ isOut }) => isOut)) return 'routes_out';
  if (routes.every(({ isOut, running, slots }) => isOut || running >= slots)) return 'routes_full';
  if (workers.every(({ slots, jobs }) => jobs >= slots)) return 'workers_busy';
  return 'none';
}
