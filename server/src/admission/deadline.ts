/** Jobs wait for a day at most, and take minutes. */
export const maxDeadlineSeconds = 2 * 24 * 60 * 60;

/** Seconds from now, or a time in ISO 8601. */
export function deadlineOf(asked: number | string | undefined, nowMs: number): number | null {
  if (asked === undefined) return null;
  return typeof asked === 'number' ? Math.ceil(nowMs + asked * 1_000) : Date.parse(asked);
}

/** Why something of the right type cannot be a deadline; undefined when it can. */
export function deadlineMistake(asked: unknown, nowMs: number): string | undefined {
  // Other forms are refused by the schema; `Date.parse` would read `60` as a year.
  if (typeof asked !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(asked)) return undefined;
  const at = Date.parse(asked);
  if (at <= nowMs) return 'must be in the future.';
  return at > nowMs + maxDeadlineSeconds * 1_000 ? 'must be within two days.' : undefined;
}
