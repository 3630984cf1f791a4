import type { FailureKind } from '../providers/provider.ts';
import { type Backoff, backoffMs } from '../std/backoff.ts';

/**
 * Why a circuit is open, so that its route gets no jobs. `open`: it failed too often in a row.
 * `rate_limited`: the upstream asked us to retry later. `rejected`: the upstream refuses us, which only the
 * operator can fix.
 */
export const openStates = ['open', 'rate_limited', 'rejected'] as const;
export type OpenState = (typeof openStates)[number];

/** The circuit of a route that gets no jobs. A closed circuit has no record. */
export interface OpenCircuit {
  route: string;
  state: OpenState;
  /** Until then no job is given to the route. Afterwards the circuit is half open: one job at a time probes the route. */
  until: number;
  /** How often in a row it was opened; each time doubles the wait. */
  failures: number;
  reason: FailureKind;
  /** For operators. */
  detail: string | null;
  changedAt: number;
}

export interface Opening {
  state: OpenState;
  /** How long the route gets no jobs. */
  openMs: number;
}

/** What an attempt means for its route: it works, its circuit has to open for a time, or nothing yet. */
export type CircuitDecision =
  | { kind: 'close' }
  | { kind: 'open'; opening: Opening }
  | { kind: 'count_failure' }
  | { kind: 'ignore' };

// Fewer would let the bad luck of one job open a circuit; more would cost every waiting job a try.
const failuresToOpen = 5;
const failingOpen: Backoff = { firstMs: 10_000, capMs: 300_000, jitter: 0.1 };
const limitedOpen: Backoff = { firstMs: 5_000, capMs: 300_000, jitter: 0.1 };
// Restoring credentials or credit takes an operator minutes; probing at least once an hour detects it.
const rejectedOpen: Backoff = { firstMs: 300_000, capMs: 3_600_000, jitter: 0.1 };

export interface Report {
  /** How the attempt ended; `done` for an image, undefined when we stopped it. */
  outcome: FailureKind | 'done' | undefined;
  retryAfterMs: number;
  /** Failures in a row before this one, in this process. */
  inARow: number;
  /** Set when the attempt was the probe of a half-open circuit: how often in a row it had been opened. */
  probeOf: number | undefined;
  random?: () => number;
}

/** Decides the circuit of a route after an attempt. Pure. */
export function decideCircuit({ outcome, retryAfterMs, inARow, probeOf, random }: Report): CircuitDecision {
  if (outcome === undefined || outcome === 'cancelled') return { kind: 'ignore' };
  const nth = (probeOf ?? 0) + 1;
  const open = (state: OpenState, backoff: Backoff): CircuitDecision => ({
    kind: 'open',
    opening: { state, openMs: Math.max(retryAfterMs, backoffMs(backoff, nth, random)) },
  });
  switch (outcome) {
    // A refusal of this one request shows that the route works.
    case 'done':
    case 'safety_blocked':
    case 'invalid_input':
    case 'no_image':
      return { kind: 'close' };
    case 'rate_limited':
      return open('rate_limited', limitedOpen);
    case 'auth':
    case 'quota':
    case 'model_not_found':
      return open('rejected', rejectedOpen);
    case 'unavailable':
    case 'network':
    case 'timeout':
    case 'bad_response':
      return probeOf !== undefined || inARow + 1 >= failuresToOpen
        ? open('open', failingOpen)
        : { kind: 'count_failure' };
  }
}
