import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import type { FailureKind } from '../../upstream/providers/provider.ts';
import { checkRoute } from './check-route.ts';
import { closeCircuit, openCircuit } from './circuit-store.ts';
import { decideCircuit, type Opening, type OpenState, type Report, type Streak } from './decide-circuit.ts';
import type { Route } from './route.ts';

export interface CircuitBreaker {
  /** Counts the outcome of an attempt. Writes only if the circuit changes. Never rejects. */
  report(route: Route, report: AttemptReport): Promise<void>;
}

export type AttemptReport = Omit<Report, 'streak' | 'random'> & { detail?: string | undefined };

/** The failures that `checkRoute` can prove. Not `model_not_found`: a working server may have no list of models. */
const provenByCheck = new Set<FailureKind | undefined>([
  'auth',
  'quota',
  'unavailable',
  'network',
  'timeout',
]);

/** Counts failures in a row in this process, and opens circuits, which all processes share. */
export function createCircuitBreaker(database: Database, log: Log): CircuitBreaker {
  const streaks = new Map<string, Streak>();
  const opened = new Map<string, { state: OpenState; until: number }>();
  const checking = new Set<string>();

  async function open(route: Route, { state, openMs }: Opening, report: AttemptReport) {
    const until = performance.now() + openMs;
    const known = opened.get(route.id);
    // Concurrent attempts fail together, and the first failure has already opened the circuit.
    const isKnown =
      known && known.state === state && known.until > performance.now() && until - known.until < freshMs;
    if (isKnown && report.probeOf === undefined) return;
    opened.set(route.id, { state, until });
    const failures = (report.probeOf ?? 0) + 1;
    const seen = report.proven ?? report.outcome;
    const reason = seen === 'done' || seen === undefined ? 'unavailable' : seen;
    const opening = { route: route.id, state, openMs, reason, detail: report.detail ?? null, failures };
    await database.transaction((tx) => openCircuit(tx, opening));
    log.warn('circuit.opened', { route: route.id, state, reason, failures, for_ms: Math.round(openMs) });
  }

  async function check(route: Route, opening: Opening, report: AttemptReport): Promise<void> {
    if (checking.has(route.id)) return;
    checking.add(route.id);
    const health = await checkRoute(route).finally(() => checking.delete(route.id));
    if (!provenByCheck.has(health.kind)) return;
    streaks.delete(route.id);
    await open(route, opening, { ...report, proven: health.kind, detail: health.detail });
  }

  async function apply(route: Route, report: AttemptReport): Promise<void> {
    const decision = decideCircuit({ ...report, streak: streaks.get(route.id) ?? none });
    if (decision.kind === 'count' || decision.kind === 'check') streaks.set(route.id, decision.streak);
    if (decision.kind === 'close' || decision.kind === 'open') streaks.delete(route.id);
    if (decision.kind === 'open') await open(route, decision.opening, report);
    // Runs in the background, because the attempt that raised the suspicion has ended.
    if (decision.kind === 'check') void logged(route, check(route, decision.opening, report));
    // Only a probe may close the circuit, because other attempts began before it was opened.
    if (decision.kind === 'close' && report.probeOf !== undefined) {
      opened.delete(route.id);
      if (await database.transaction((tx) => closeCircuit(tx, route.id)))
        log.info('circuit.closed', { route: route.id });
    }
  }

  async function logged(route: Route, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      log.warn('circuit.not_recorded', { route: route.id, reason: String(error) }),
    );
  }

  return {
    async report(route, report) {
      // Routes whose images our own code draws have no upstream that could fail.
      if (!route.provider.capabilities.exact) await logged(route, apply(route, report));
    },
  };
}

const none: Streak = { proven: 0, byAccount: new Map() };
// Extending an open circuit by less than this time is not worth a write.
const freshMs = 2_000;
