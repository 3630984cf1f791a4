/** Longer waits than a day are the same to us as "not today". */
export const maxRetryAfterMs = 24 * 60 * 60 * 1000;

/**
 * `Retry-After` as seconds or as a date (RFC 9110), in milliseconds from now; null when it is absent or not understood. A
 * date in the past is negative. Some upstreams give fractions of a second, which the standard does not know.
 */
export function parseRetryAfter(
  value: string | undefined,
  nowMs: number,
  { fractions = false }: { fractions?: boolean } = {},
): number | null {
  const text = value?.trim() ?? '';
  if ((fractions ? /^\d{1,15}(\.\d{1,9})?$/ : /^\d{1,15}$/).test(text))
    return Math.ceil(Math.min(Number(text) * 1000, maxRetryAfterMs));
  // JavaScript reads almost anything as some date, "-5" as one in 2001: only the form of HTTP counts.
  const dateMs = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.min(dateMs - nowMs, maxRetryAfterMs);
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
