/** The process's source of time. Tests control their own, and leases use the database's clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment. Changes of the system time do not affect them. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
