import { toIsoOrNull } from '../std/iso-time.ts';
import { amountOf, atTime, endOf, type Limit, wordOf } from './limit.ts';

/** A limit with its use, as JSON: decimal amounts, or numbers of jobs or requests. */
export function presentLimit(limit: Limit, nowMs: number) {
  const { meter, most, used, startsAt } = atTime(limit, nowMs);
  const isRate = meter === 'second' || meter === 'minute';
  return {
    limit: wordOf[meter],
    most: amountOf(meter, most),
    /** Null for requests, which each process counts for itself. */
    used: isRate ? null : amountOf(meter, used),
    resets_at: toIsoOrNull(endOf({ meter, startsAt })),
  };
}
