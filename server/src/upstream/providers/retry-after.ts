import { maxRetryAfterMs, parseRetryAfter } from '../../base/std/retry-after.ts';

/** Reads `retry-after-ms`, OpenAI's more exact header, or else `Retry-After`. */
export function retryAfterMs(headers: ReadonlyMap<string, string>, nowMs = Date.now()): number | undefined {
  const fine = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(fine)) return clamp(fine);
  const ms = parseRetryAfter(headers.get('retry-after'), nowMs, { fractions: true });
  return ms === null ? undefined : clamp(ms);
}

/** Reads a protobuf duration such as `34.07s`, as in Google's RetryInfo. */
export function durationMs(text: string | undefined): number | undefined {
  const seconds = text?.match(/^(\d+(?:\.\d+)?)s$/)?.[1];
  return seconds === undefined ? undefined : clamp(Number(seconds) * 1000);
}

function clamp(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, 0), maxRetryAfterMs));
}
