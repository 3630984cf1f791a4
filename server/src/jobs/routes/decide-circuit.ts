import { type Backoff, backoffMs } from '../../base/std/backoff.ts';
import type { FailureKind } from '../../upstream/providers/provider.ts';

/** `open` after many failures, `rate_limited` if the upstream asked us to wait, `rejected` until an operator acts. */
export const openStates = ['open', 'rate_limited', 'rejected'] as const;
export type OpenState = (typeof openStates)[number];

/** The circuit of a route that gets no jobs. A closed circuit has no record. */
export interface OpenCircuit {
  route: string;
  state: OpenState;
  /** The time before which the route gets no job. Then the circuit is half open: one job at a time probes the route. */
  until: number;
  /** How often in a row the circuit was opened. Each time doubles the wait. */
  failures: number;
  reason: FailureKind;
  detail: string | null;
  changedAt: number;
}

export interface Opening {
  state: OpenState;
  openMs: number;
}

/** A route's consecutive failures in one process. */
export interface Streak {
  /** The number of failures that only the route can cause, by the vendor's documentation. */
  proven: number;
  /** The number of failures, by account, that a request may have caused. */
  byAccount: ReadonlyMap<string, number>;
}

/** The result of an attempt for its route: the route works, its circuit opens for a time, or nothing changes. */
export type CircuitDecision =
  | { kind: 'close' }
  | { kind: 'open'; opening: Opening }
  | { kind: 'count'; streak: Streak }
  /** One account's requests are failing on the route. The circuit opens if our test request fails too. */
  | { kind: 'check'; streak: Streak; opening: Opening }
  | { kind: 'ignore' };

// The number of failures that open a circuit. Fewer could be one job's bad luck. With more, every waiting job would
// lose a try.
const failuresToOpen = 5;
// The most failures of one account that count. Otherwise its strange requests could stop the route for everyone.
const mostOfOneAccount = 3;
// The number of accounts whose probes must fail to open a circuit again. The wait for the second
// risks one job at a time.
const accountsToOpenAgain = 2;
const backoffs: Readonly<Record<OpenState, Backoff>> = {
  open: { firstMs: 10_000, capMs: 300_000, jitter: 0.1 },
  rate_limited: { firstMs: 5_000, capMs: 300_000, jitter: 0.1 },
  // An operator needs minutes to restore credentials or credit. A probe at least once per hour notices that they work
  // again.
  rejected: { firstMs: 300_000, capMs: 3_600_000, jitter: 0.1 },
};

export interface Report {
  /** How the attempt ended: `done` for an image, undefined if we stopped it. */
  outcome: FailureKind | 'done' | undefined;
  /** The failure if, by the vendor's documentation, only the route can cause it. */
  proven?: FailureKind | undefined;
  accountId: string;
  retryAfterMs: number;
  streak: Streak;
  /** Set if the attempt probed a half-open circuit: the number of times in a row that the circuit was opened. */
  probeOf: number | undefined;
  random?: () => number;
}

/** Outcomes that show that the route works: an image, or a refusal of this request alone. */
const answered = new Set<FailureKind | 'done'>(['done', 'safety_blocked', 'invalid_input', 'no_image']);

/** Decides what an attempt changes about the circuit of its route. Pure. */
export function decideCircuit(report: Report): CircuitDecision {
  const { outcome, proven, accountId, probeOf } = report;
  if (outcome === undefined || outcome === 'cancelled') return { kind: 'ignore' };
  if (answered.has(outcome)) return { kind: 'close' };
  const opening = openingFor(proven ?? outcome, report);
  if (proven && (opening.state !== 'open' || probeOf !== undefined)) return { kind: 'open', opening };
  const streak = addTo(report.streak, accountId, proven !== undefined);
  if (isEnough(streak, probeOf !== undefined)) return { kind: 'open', opening };
  const own = streak.byAccount.get(accountId) ?? 0;
  const isSuspect =
    probeOf !== undefined || own % failuresToOpen === 0 || (own === 1 && opening.state === 'rejected');
  return !proven && isSuspect ? { kind: 'check', streak, opening } : { kind: 'count', streak };
}

function openingFor(kind: FailureKind | 'done', { retryAfterMs, probeOf, random }: Report): Opening {
  const state = stateOf(kind);
  const waitMs = backoffMs(backoffs[state], (probeOf ?? 0) + 1, random);
  return { state, openMs: Math.max(retryAfterMs, waitMs) };
}

function stateOf(kind: FailureKind | 'done'): OpenState {
  if (kind === 'rate_limited') return 'rate_limited';
  return kind === 'auth' || kind === 'quota' || kind === 'model_not_found' ? 'rejected' : 'open';
}

function addTo({ proven, byAccount }: Streak, accountId: string, isProven: boolean): Streak {
  if (isProven) return { proven: proven + 1, byAccount };
  return { proven, byAccount: new Map(byAccount).set(accountId, (byAccount.get(accountId) ?? 0) + 1) };
}

function isEnough({ proven, byAccount }: Streak, wasProbe: boolean): boolean {
  if (wasProbe) return byAccount.size >= accountsToOpenAgain;
  const counted = [...byAccount.values()].map((count) => Math.min(count, mostOfOneAccount));
  return counted.reduce((sum, count) => sum + count, proven) >= failuresToOpen;
}
