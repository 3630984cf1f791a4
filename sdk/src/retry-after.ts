/** `Retry-After` in milliseconds, from seconds or a date; `null` if absent or unreadable. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) || /^[-+.\d]/.test(header) ? null : Math.max(0, dateMs - nowMs);
}
