import type { FailureKind } from '../providers/provider.ts';
import { type Backoff, backoffMs } from '../std/backoff.ts';

/**
 * Why a route gets no jobs. `open`: it failed too often in a row. `rate_limited`: it asked for a rest. `rejected`: it
 * refuses us, which only the operator can mend. A route without any of these is well.
 */
export const routeStates = ['open', 'rate_limited', 'rejected'] as const;
export type RouteState = (typeof routeStates)[number];

export interface RouteHealth {
  route: string;
  state: RouteState;
  /** Until then no job is given to it; afterwards one at a time, until one of them gets an answer. */
  until: number;
  /** How often in a row it was found ill; each time doubles the rest. */
  failures: number;
  reason: FailureKind;
  /** For operators. */
  detail: string | null;
  changedAt: number;
}

export interface Illness {
  state: RouteState;
  restMs: number;
}

/** What an attempt on a route tells of the route: well, ill for a time, or nothing yet. */
export type Diagnosis =
  | { kind: 'well' }
  | { kind: 'ill'; illness: Illness }
  | { kind: 'doubtful' }
  | { kind: 'unknown' };

// Fewer would let the bad luck of one job close a route; more would cost every waiting job a try.
const failuresToOpen = 5;
const openRest: Backoff = { firstMs: 10_000, capMs: 300_000, jitter: 0.1 };
const limitedRest: Backoff = { firstMs: 5_000, capMs: 300_000, jitter: 0.1 };
// Credentials and credit do not mend themselves in seconds; asking every hour at most finds out when they were.
const rejectedRest: Backoff = { firstMs: 300_000, capMs: 3_600_000, jitter: 0.1 };

export interface Seen {
  /** How the attempt ended; `done` for an image, undefined when it was stopped from here. */
  outcome: FailureKind | 'done' | undefined;
  retryAfterMs: number;
  /** Failures in a row before this one, in this process. */
  inARow: number;
  /** Set when the attempt was the one that a route on the mend was given: how often it had been found ill. */
  probeOf: number | undefined;
  random?: () => number;
}

/** Pure: what to think of a route after an attempt. */
export function diagnose({ outcome, retryAfterMs, inARow, probeOf, random }: Seen): Diagnosis {
  if (outcome === undefined || outcome === 'cancelled') return { kind: 'unknown' };
  const nth = (probeOf ?? 0) + 1;
  const ill = (state: RouteState, rest: Backoff): Diagnosis => ({
    kind: 'ill',
    illness: { state, restMs: Math.max(retryAfterMs, backoffMs(rest, nth, random)) },
  });
  switch (outcome) {
    // A refusal of this one request is an answer: the route works.
    case 'done':
    case 'safety_blocked':
    case 'invalid_input':
    case 'no_image':
      return { kind: 'well' };
    case 'rate_limited':
      return ill('rate_limited', limitedRest);
    case 'auth':
    case 'quota':
    case 'model_not_found':
      return ill('rejected', rejectedRest);
    case 'unavailable':
    case 'network':
    case 'timeout':
    case 'bad_response':
      return probeOf !== undefined || inARow + 1 >= failuresToOpen
        ? ill('open', openRest)
        : { kind: 'doubtful' };
  }
}
