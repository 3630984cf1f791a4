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

export interface RateLimiter {
  /** Takes one token, or says how long to wait. */
  take(id: string): Verdict;
  /** Whether a token is available, without taking it. */
  peek(id: string): Verdict;
}

// Buckets that are full again are dropped; this bounds the memory that a flood of ids can use.
const maxBuckets = 50_000;

/** Token buckets, per process. */
export function createRateLimiter({ perSecond, burst }: RateLimit, clock: Clock): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function refill(id: string): { tokens: number; at: number } {
    const now = clock.nowMs();
    const bucket = buckets.get(id) ?? { tokens: burst, at: now };
    const elapsed = Math.max(0, now - bucket.at) / 1000;
    return { tokens: Math.min(burst, bucket.tokens + elapsed * perSecond), at: now };
  }

  function verdictOf(tokens: number, allowed: boolean): Verdict {
    const missing = allowed ? burst - tokens : 1 - tokens;
    return { allowed, remaining: Math.floor(tokens), resetSeconds: Math.ceil(missing / perSecond) };
  }

  return {
    take(id) {
      const bucket = refill(id);
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      if (!buckets.has(id) && buckets.size >= maxBuckets) buckets.clear();
      buckets.set(id, bucket);
      return verdictOf(bucket.tokens, allowed);
    },
    peek(id) {
      const { tokens } = refill(id);
      return verdictOf(tokens, tokens >= 1);
    },
  };
}
