import type { FreeSlots } from './decide-claims.ts';
import type { Route } from './route.ts';
import type { RouteHealth } from './route-health.ts';
import { paceLeft } from './route-pace.ts';

interface Use {
  /** Jobs that run on each route now. */
  used: ReadonlyMap<string | null, number>;
  health: ReadonlyMap<string, RouteHealth>;
  paces: ReadonlyMap<string, number>;
  nowMs: number;
}

/** How many jobs each route may take now: none while it rests, one at a time while it is on the mend. Pure. */
export function countFree(routes: readonly Route[], { used, health, paces, nowMs }: Use): FreeSlots[] {
  return routes.map((route) => {
    const ill = health.get(route.id);
    const slots = ill === undefined ? route.slots : ill.until > nowMs ? 0 : 1;
    const free = Math.min(slots - (used.get(route.id) ?? 0), paceLeft(route, { paces, nowMs }));
    return { routeId: route.id, free: Math.max(0, free) };
  });
}
