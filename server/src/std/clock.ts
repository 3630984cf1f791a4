/** Where the process reads the time. Tests hold their own; leases use the database's clock instead. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds that passed since some moment, whatever the time is set to meanwhile. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
