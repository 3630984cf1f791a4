/** Longer waits are shortened to this. */
export const maxRetryAfterMs = 24 * 60 * 60 * 1000;

/** Parses `Retry-After`, seconds or a date. Returns milliseconds from now, negative if past; null if invalid. */
export function parseRetryAfter(
  value: string | undefined,
  nowMs: number,
  { fractions = false }: { fractions?: boolean } = {},
): number | null {
  const text = value?.trim() ?? '';
  if ((fractions ? /^\d{1,15}(\.\d{1,9})?$/ : /^\d{1,15}$/).test(text))
    return Math.ceil(Math.min(Number(text) * 1000, maxRetryAfterMs));
  // Requires the HTTP format, because `Date.parse` accepts almost anything ("-5" is in 2001).
  const dateMs = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.min(dateMs - nowMs, maxRetryAfterMs);
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
