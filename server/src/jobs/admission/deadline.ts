/** The longest deadline: jobs wait for at most a day, and then take minutes. */
export const maxDeadlineSeconds = 2 * 24 * 60 * 60;

/** A job's deadline: an ISO 8601 time, or seconds from now. A request may have one of the two. */
export type AskedDeadline = {
  deadline?: string | number;
  deadline_seconds?: number;
};

export function deadlineOf(
  { deadline, deadline_seconds: seconds }: AskedDeadline,
  nowMs: number,
): number | null {
  const asked = seconds ?? deadline;
  if (asked === undefined) return null;
  return typeof asked === 'number' ? Math.ceil(nowMs + asked * 1_000) : Date.parse(asked);
}

/** Why a value of the right type cannot be a deadline; undefined if it can. */
export function deadlineMistake(
  { deadline, deadline_seconds: seconds }: { [field in keyof AskedDeadline]: unknown },
  nowMs: number,
): string | undefined {
  if (deadline !== undefined && seconds !== undefined) return 'cannot be combined with deadline_seconds.';
  // The schema refuses other forms. `Date.parse` would read `60` as a year.
  if (typeof deadline !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(deadline)) return undefined;
  const at = Date.parse(deadline);
  if (at <= nowMs) return 'must be in the future.';
  return at > nowMs + maxDeadlineSeconds * 1_000 ? 'must be within two days.' : undefined;
}
