import type { Clock } from '../std/clock.ts';

export interface RateLimit {
  /** Requests per second in the long run. */
  perSecond: number;
  /** Requests at once after a pause. */
  burst: number;
}

export interface Verdict {
  allowed: boolean;
  remaining: number;
  /** Until one more request is allowed; when one is, until the bucket is full. */
  resetSeconds: number;
}

/** Takes one token of this bucket, or says how long to wait. */
export type RateLimiter = (id: string, limit: RateLimit) => Verdict;

// Buckets that are full again are dropped; this bounds the memory that a flood of ids can use.
const maxBuckets = 50_000;

/** Token buckets, per process. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (id, { perSecond, burst }) => {
    const now = clock.nowMs();
    const bucket = buckets.get(id) ?? { tokens: burst, at: now };
    const elapsed = Math.max(0, now - bucket.at) / 1000;
    let tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
    const allowed = tokens >= 1;
    if (allowed) tokens -= 1;
    if (!buckets.has(id) && buckets.size >= maxBuckets) buckets.clear();
    buckets.set(id, { tokens, at: now });
    const missing = allowed ? burst - tokens : 1 - tokens;
    return { allowed, remaining: Math.floor(tokens), resetSeconds: Math.ceil(missing / perSecond) };
  };
}
