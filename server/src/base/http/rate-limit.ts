import type { Clock } from '../std/clock.ts';

export interface RateLimit {
  perSecond: number;
  burst: number;
}

export interface Verdict {
  allowed: boolean;
  remaining: number;
  /** The seconds until another request is allowed. If one is allowed now, the seconds until the bucket is full. */
  resetSeconds: number;
}

interface Bucket extends RateLimit {
  tokens: number;
  at: number;
}

export interface Rate extends RateLimit {
  id: string;
}

/** Takes one token from each bucket, or none if one is empty. Returns a verdict for each bucket. */
export type RateLimiter = (rates: readonly Rate[]) => Verdict[];

// The maximum number of buckets. At the limit, all are dropped, so that a flood of ids cannot fill the memory.
const maxBuckets = 50_000;

export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const find = ({ id, perSecond, burst }: Rate, now: number): Bucket => {
    const known = buckets.get(id);
    const bucket = known ?? { tokens: burst, at: now, perSecond, burst };
    if (!known) {
      if (buckets.size >= maxBuckets) buckets.clear();
      buckets.set(id, bucket);
    }
    const elapsed = Math.max(0, now - bucket.at) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
    bucket.at = now;
    bucket.perSecond = perSecond;
    bucket.burst = burst;
    return bucket;
  };
  return (rates) => {
    const now = clock.nowMs();
    const asked = rates.map((rate) => find(rate, now));
    const taken = asked.every(({ tokens }) => tokens >= 1) ? 1 : 0;
    return asked.map((bucket) => {
      const allowed = bucket.tokens >= 1;
      bucket.tokens -= taken;
      return verdictOf(bucket, allowed, bucket.tokens);
    });
  };
}

export function takeOne(limiter: RateLimiter, rate: Rate): Verdict {
  const [verdict] = limiter([rate]);
  if (!verdict) throw new Error('one bucket has one verdict');
  return verdict;
}

export function verdictOf({ perSecond, burst }: RateLimit, allowed: boolean, tokens: number): Verdict {
  const missing = allowed ? burst - tokens : 1 - tokens;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(tokens)),
    resetSeconds: Math.ceil(missing / perSecond),
  };
}
