/** Receivers may not put us off for longer. */
export const maxRetryAfterMs = 24 * 60 * 60 * 1000;

/** `Retry-After` (RFC 9110) as seconds or as a date; null when it is absent, in the past or not understood. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  // JavaScript reads almost anything as some date, "-5" as one in 2001: only the form of HTTP counts.
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : httpDate.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  if (Number.isNaN(ms) || ms < 0) return null;
  return Math.min(ms, maxRetryAfterMs);
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
