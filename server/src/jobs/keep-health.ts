import type { Database } from '../db/database.ts';
import type { FailureKind } from '../providers/provider.ts';
import type { Log } from '../std/log.ts';
import { reopenRoute, restRoute } from './health-store.ts';
import type { Route } from './route.ts';
import { diagnose, type RouteState } from './route-health.ts';

export interface HealthKeeper {
  /** What an attempt on a route tells of it. Writes only when that changes something; never rejects. */
  note(route: Route, seen: AttemptSeen): Promise<void>;
}

export interface AttemptSeen {
  outcome: FailureKind | 'done' | undefined;
  retryAfterMs: number;
  detail?: string | undefined;
  probeOf: number | undefined;
}

/** Counts failures in a row in this process, and shares what follows from them with all others. */
export function createHealthKeeper(database: Database, log: Log): HealthKeeper {
  const inARow = new Map<string, number>();
  const resting = new Map<string, { state: RouteState; until: number }>();

  async function rest(
    route: Route,
    { state, restMs }: { state: RouteState; restMs: number },
    seen: AttemptSeen,
  ) {
    const until = performance.now() + restMs;
    const known = resting.get(route.id);
    // Jobs that were under way together fail together; the first of them has said it all.
    const isKnown =
      known && known.state === state && known.until > performance.now() && until - known.until < freshMs;
    if (isKnown && seen.probeOf === undefined) return;
    resting.set(route.id, { state, until });
    const failures = (seen.probeOf ?? 0) + 1;
    const reason = seen.outcome === 'done' || seen.outcome === undefined ? 'unavailable' : seen.outcome;
    const illness = { route: route.id, state, restMs, reason, detail: seen.detail ?? null, failures };
    await database.transaction((tx) => restRoute(tx, illness));
    log.warn('route.rests', { route: route.id, state, reason, failures, for_ms: Math.round(restMs) });
  }

  async function note(route: Route, seen: AttemptSeen): Promise<void> {
    const diagnosis = diagnose({ ...seen, inARow: inARow.get(route.id) ?? 0 });
    if (diagnosis.kind === 'doubtful') inARow.set(route.id, (inARow.get(route.id) ?? 0) + 1);
    if (diagnosis.kind === 'well' || diagnosis.kind === 'ill') inARow.delete(route.id);
    if (diagnosis.kind === 'ill') await rest(route, diagnosis.illness, seen);
    // Only who was sent to look may say that the route is well: others began before it fell ill.
    if (diagnosis.kind === 'well' && seen.probeOf !== undefined) {
      resting.delete(route.id);
      if (await database.transaction((tx) => reopenRoute(tx, route.id)))
        log.info('route.is_well', { route: route.id });
    }
  }

  return {
    async note(route, seen) {
      // What our own code draws has no upstream that could be ill.
      if (route.provider.capabilities.exact) return;
      await note(route, seen).catch((error: unknown) =>
        log.warn('route.health_not_recorded', { route: route.id, reason: String(error) }),
      );
    },
  };
}

// A rest that would end so little later is not worth a write.
const freshMs = 2_000;
