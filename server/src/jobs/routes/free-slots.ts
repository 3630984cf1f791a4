import type { OpenCircuit } from './decide-circuit.ts';
import { paceLeft } from './pace.ts';
import type { Route } from './route.ts';

export interface FreeSlots {
  routeId: string;
  free: number;
}

interface Use {
  used: ReadonlyMap<string | null, number>;
  circuits: ReadonlyMap<string, OpenCircuit>;
  paces: ReadonlyMap<string, number>;
  nowMs: number;
}

/** The number of jobs that each route can take now: none while its circuit is open, one while it is half open. Pure. */
export function countFree(routes: readonly Route[], { used, circuits, paces, nowMs }: Use): FreeSlots[] {
  return routes.map((route) => {
    const slots = slotsOf(route, { circuits, nowMs });
    const free = Math.min(slots - (used.get(route.id) ?? 0), paceLeft(route, { paces, nowMs }));
    return { routeId: route.id, free: Math.max(0, free) };
  });
}

export function slotsOf({ id, slots }: Route, { circuits, nowMs }: Pick<Use, 'circuits' | 'nowMs'>): number {
  const circuit = circuits.get(id);
  return circuit === undefined ? slots : circuit.until > nowMs ? 0 : 1;
}
