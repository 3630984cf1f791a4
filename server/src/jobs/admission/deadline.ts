import type { Unserved } from './decide-admissions.ts';

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

const pastMistake = 'must be in the future.';

/**
 * Why a value of the right type cannot be a deadline; undefined if it can. Skips the past in requests that `mayRepeat`,
 * because a repetition gets its job also after the deadline: admission uses `findLate` once it knows that it is none.
 */
export function deadlineMistake(
  { deadline, deadline_seconds: seconds }: { [field in keyof AskedDeadline]: unknown },
  { nowMs, mayRepeat }: { nowMs: number; mayRepeat: boolean },
): string | undefined {
  if (deadline !== undefined && seconds !== undefined) return 'cannot be combined with deadline_seconds.';
  // The schema refuses other forms. `Date.parse` would read `60` as a year.
  if (typeof deadline !== 'string' || !/^\d{4}-\d\d-\d\d[T\s]/i.test(deadline)) return undefined;
  const at = Date.parse(deadline);
  // The schema accepts leap seconds and offsets without minutes, which `Date.parse` does not know.
  if (Number.isNaN(at)) return 'must be a time such as 2026-11-20T00:00:00Z.';
  if (at <= nowMs) return mayRepeat ? undefined : pastMistake;
  return at > nowMs + maxDeadlineSeconds * 1_000 ? 'must be within two days.' : undefined;
}

export function findLate(
  { isLate = false }: { isLate?: boolean },
  pointer: string | null = null,
): Unserved | null {
  return isLate ? { why: pastMistake, field: '/deadline', pointer, isMistake: true } : null;
}
