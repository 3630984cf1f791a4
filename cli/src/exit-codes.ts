export const exitCodes = {
  done: 0,
  /** A job or a check such as `verify` ran and failed. */
  failed: 1,
  usage: 2,
  keyRefused: 3,
  noFunds: 4,
  invalid: 5,
  unavailable: 6,
  /** A defect of this program (EX_SOFTWARE). */
  defect: 70,
  /** 128 + SIGINT, as in shells. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
