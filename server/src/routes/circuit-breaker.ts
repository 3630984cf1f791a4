import type { Database } from '../db/database.ts';
import type { FailureKind } from '../providers/provider.ts';
import type { Log } from '../std/log.ts';
import { closeCircuit, openCircuit } from './circuit-store.ts';
import { decideCircuit, type Opening, type OpenState } from './decide-circuit.ts';
import type { Route } from './route.ts';

export interface CircuitBreaker {
  /** Counts the outcome of an attempt on a route. Only writes when the circuit changes; never rejects. */
  report(route: Route, report: AttemptReport): Promise<void>;
}

export interface AttemptReport {
  outcome: FailureKind | 'done' | undefined;
  retryAfterMs: number;
  detail?: string | undefined;
  probeOf: number | undefined;
}

/** Counts failures in a row in this process. The resulting circuits are shared by all processes. */
export function createCircuitBreaker(database: Database, log: Log): CircuitBreaker {
  const inARow = new Map<string, number>();
  const opened = new Map<string, { state: OpenState; until: number }>();

  async function open(route: Route, { state, openMs }: Opening, report: AttemptReport) {
    const until = performance.now() + openMs;
    const known = opened.get(route.id);
    // Concurrent attempts fail together; the first failure has already opened the circuit.
    const isKnown =
      known && known.state === state && known.until > performance.now() && until - known.until < freshMs;
    if (isKnown && report.probeOf === undefined) return;
    opened.set(route.id, { state, until });
    const failures = (report.probeOf ?? 0) + 1;
    const reason = report.outcome === 'done' || report.outcome === undefined ? 'unavailable' : report.outcome;
    const opening = { route: route.id, state, openMs, reason, detail: report.detail ?? null, failures };
    await database.transaction((tx) => openCircuit(tx, opening));
    log.warn('circuit.opened', { route: route.id, state, reason, failures, for_ms: Math.round(openMs) });
  }

  async function apply(route: Route, report: AttemptReport): Promise<void> {
    const decision = decideCircuit({ ...report, inARow: inARow.get(route.id) ?? 0 });
    if (decision.kind === 'count_failure') inARow.set(route.id, (inARow.get(route.id) ?? 0) + 1);
    if (decision.kind === 'close' || decision.kind === 'open') inARow.delete(route.id);
    if (decision.kind === 'open') await open(route, decision.opening, report);
    // Only a probe may close the circuit: other attempts began before it was opened.
    if (decision.kind === 'close' && report.probeOf !== undefined) {
      opened.delete(route.id);
      if (await database.transaction((tx) => closeCircuit(tx, route.id)))
        log.info('circuit.closed', { route: route.id });
    }
  }

  return {
    async report(route, report) {
      // Routes that our own code draws for have no upstream that could fail.
      if (route.provider.capabilities.exact) return;
      await apply(route, report).catch((error: unknown) =>
        log.warn('circuit.not_recorded', { route: route.id, reason: String(error) }),
      );
    },
  };
}

// Not worth a write if the circuit would only close this little later.
const freshMs = 2_000;
