import type { OpenCircuit } from './decide-circuit.ts';
import { paceLeft } from './pace.ts';
import type { Route } from './route.ts';

export interface FreeSlots {
  routeId: string;
  free: number;
}

interface Use {
  /** Jobs that run on each route now. */
  used: ReadonlyMap<string | null, number>;
  circuits: ReadonlyMap<string, OpenCircuit>;
  paces: ReadonlyMap<string, number>;
  nowMs: number;
}

/** How many jobs each route may take now: none while its circuit is open, one at a time while it is half open. Pure. */
export function countFree(routes: readonly Route[], { used, circuits, paces, nowMs }: Use): FreeSlots[] {
  return routes.map((route) => {
    const circuit = circuits.get(route.id);
    const slots = circuit === undefined ? route.slots : circuit.until > nowMs ? 0 : 1;
    const free = Math.min(slots - (used.get(route.id) ?? 0), paceLeft(route, { paces, nowMs }));
    return { routeId: route.id, free: Math.max(0, free) };
  });
}
