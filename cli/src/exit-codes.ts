export const exitCodes = {
  done: 0,
  /** Of a job, or of a check such as `verify`: it ran, and the outcome is bad. */
  failed: 1,
  usage: 2,
  keyRefused: 3,
  noFunds: 4,
  invalid: 5,
  unavailable: 6,
  /** A fault of this program (EX_SOFTWARE). */
  defect: 70,
  /** 128 + SIGINT, as shells say it. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
