import type { Database } from '../../base/db/database.ts';
import { type Rate, type RateLimiter, type Verdict, verdictOf } from '../../base/http/rate-limit.ts';
import type { Clock } from '../../base/std/clock.ts';
import { startLoop } from '../../base/std/loop.ts';
import { settleRates } from '../../money/limits/rate-store.ts';

export interface SharedLimiter extends AsyncDisposable {
  take: RateLimiter;
}

interface Bucket extends Rate {
  /** The tokens that this process may use. */
  tokens: number;
  at: number;
  share: number;
  /** The tokens used since the last report. */
  taken: number;
  asked: number;
  /** The count of all processes' requests at the last report; null before the first. */
  askedByAll: number | null;
}

// The interval at which a process reports its requests to the others.
const everyMs = 1_000;
// The shortest time between reports. A new bucket is reported without waiting for the next interval, but not sooner
// than this.
const soonestMs = 100;
// The smallest share of a bucket, so that a process with few requests does not wait for a busier one. If the shares add
// up to more than the bucket, it goes into debt, which is repaid later.
const leastShare = 0.1;
// The maximum number of buckets. A dropped bucket that is used again is as full as the other processes left it.
const maxBuckets = 50_000;

/**
 * Token buckets that all processes share. A process takes tokens from its part of a bucket, which is proportional to
 * its share of the requests, and reports them to the database once a second. If all processes together take too many,
 * the database's bucket goes into debt, so that the limit holds in the long run. No request waits for the database.
 */
export function createSharedLimiter({
  database,
  clock,
}: {
  database: Database;
  clock: Clock;
}): SharedLimiter {
  const buckets = new Map<string, Bucket>();
  const used = new Map<string, Bucket>();
  let settledAt = -Infinity;

  const loop = startLoop({
    everyMs,
    // Errors are ignored, because the next run reports everything.
    onError: () => {},
    async runOnce(signal) {
      if (used.size === 0) return false;
      const tooSoonMs = settledAt + soonestMs - performance.now();
      if (tooSoonMs > 0) await orStopped(tooSoonMs, signal);
      settledAt = performance.now();
      await settle();
      return false;
    },
  });

  async function settle(): Promise<void> {
    const told = [...used.values()].map((bucket) => ({ bucket, ...bucket }));
    const levels = await database.transaction((tx) => settleRates(tx, told));
    const byId = new Map(levels.map((level) => [level.id, level]));
    for (const { id, bucket, taken, asked } of told) {
      bucket.taken -= taken;
      bucket.asked -= asked;
      if (bucket.asked === 0) used.delete(id);
      const level = byId.get(id);
      if (level) update(bucket, { ...level, own: asked, nowMs: clock.nowMs() });
    }
  }

  function find(rate: Rate, now: number): Bucket {
    const known = buckets.get(rate.id);
    const isSame = known?.burst === rate.burst && known.perSecond === rate.perSecond;
    const bucket = known && isSame ? known : open(rate, now);
    fill(bucket, now);
    return bucket;
  }

  function open(rate: Rate, now: number): Bucket {
    if (buckets.size >= maxBuckets) buckets.clear();
    const bucket = fullBucket(rate, now);
    buckets.set(rate.id, bucket);
    loop.wake();
    return bucket;
  }

  return {
    take(rates) {
      const now = clock.nowMs();
      const asked = rates.map((rate) => find(rate, now));
      const taken = asked.every(({ tokens }) => tokens >= 1) ? 1 : 0;
      return asked.map((bucket) => {
        used.set(bucket.id, bucket);
        return takeFrom(bucket, taken);
      });
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

function fullBucket({ id, perSecond, burst }: Rate, now: number): Bucket {
  const unheard = { share: 1, taken: 0, asked: 0, askedByAll: null };
  return { id, perSecond, burst, tokens: burst, at: now, ...unheard };
}

function takeFrom(bucket: Bucket, taken: 0 | 1): Verdict {
  const allowed = bucket.tokens >= 1;
  bucket.tokens -= taken;
  bucket.taken += taken;
  bucket.asked += 1;
  const { burst, perSecond, share } = bucket;
  return verdictOf({ burst, perSecond: perSecond * share }, allowed, bucket.tokens);
}

function fill(bucket: Bucket, now: number): void {
  const elapsed = Math.max(0, now - bucket.at) / 1000;
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + elapsed * bucket.perSecond * bucket.share);
  bucket.at = now;
}

/** `own` is the number of this process's requests among those last counted. */
function update(
  bucket: Bucket,
  { tokens, asked, own, nowMs }: { tokens: number; asked: number; own: number; nowMs: number },
): void {
  const byAll = asked - (bucket.askedByAll ?? asked - own);
  if (byAll > 0) bucket.share = Math.max(leastShare, (bucket.share + own / byAll) / 2);
  bucket.askedByAll = asked;
  // Any process may take the last token, however small its share.
  const part = Math.max(tokens * bucket.share, Math.min(tokens, 1));
  bucket.tokens = part - bucket.taken;
  bucket.at = nowMs;
}

function orStopped(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
