/** Longer waits than a day are the same to us as "not today". */
const maxRetryAfterMs = 24 * 60 * 60 * 1000;

/** `Retry-After` in seconds or as a date (RFC 9110), and OpenAI's finer `retry-after-ms`. */
export function retryAfterMs(headers: ReadonlyMap<string, string>, nowMs = Date.now()): number | undefined {
  const fine = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(fine)) return clamp(fine);
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return clamp(Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : clamp(dateMs - nowMs);
}

/** A protobuf duration such as `34.07s`, as in Google's RetryInfo. */
export function durationMs(text: string | undefined): number | undefined {
  const seconds = text?.match(/^(\d+(?:\.\d+)?)s$/)?.[1];
  return seconds === undefined ? undefined : clamp(Number(seconds) * 1000);
}

function clamp(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, 0), maxRetryAfterMs));
}
