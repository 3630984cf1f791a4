/** Jobs wait for a day at most, and take minutes. */
export const maxDeadlineSeconds = 2 * 24 * 60 * 60;

/** When a job is to be done: a time in ISO 8601, or seconds from now; one of them at most. */
export type AskedDeadline = {
  deadline?: string;
  deadline_seconds?: number;
};

export function deadlineOf(
  { deadline, deadline_seconds: seconds }: AskedDeadline,
  nowMs: number,
): number | null {
  if (seconds !== undefined) return Math.ceil(nowMs + seconds * 1_000);
  return deadline === undefined ? null : Date.parse(deadline);
}

/** Why something of the right type cannot be a deadline; undefined when it can. */
export function deadlineMistake(
  { deadline, deadline_seconds: seconds }: { [field in keyof AskedDeadline]: unknown },
  nowMs: number,
): string | undefined {
  // Other forms are refused by the schema; `Date.parse` would read `60` as a year.
  if (typeof deadline !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(deadline)) return undefined;
  if (seconds !== undefined) return 'does not go with deadline_seconds.';
  const at = Date.parse(deadline);
  if (at <= nowMs) return 'must be in the future.';
  return at > nowMs + maxDeadlineSeconds * 1_000 ? 'must be within two days.' : undefined;
}
