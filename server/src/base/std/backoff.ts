export interface Backoff {
  firstMs: number;
  capMs: number;
  /** 0.2 spreads each delay by ±20 %, so that retries do not coincide. */
  jitter: number;
}

/** The exponential delay after the `failures`-th failure (1, 2, …) in a row. */
export function backoffMs(policy: Backoff, failures: number, random: () => number = Math.random): number {
  const exact = Math.min(policy.capMs, policy.firstMs * 2 ** (failures - 1));
  return Math.round(exact * (1 + policy.jitter * (2 * random() - 1)));
}
