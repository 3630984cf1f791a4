import { toIsoOrNull } from '../std/iso-time.ts';
import { amountOf, atTime, endOf, type Limit, wordOf } from './limit.ts';

/** A limit with its use, as JSON: decimal amounts, or numbers of jobs or requests. */
export function presentLimit(limit: Limit, nowMs: number) {
  const { meter, most, isDefault, used, startsAt } = atTime(limit, nowMs);
  const isRate = meter === 'second' || meter === 'minute';
  return {
    limit: wordOf[meter],
    /** Null where the default of the installation was lifted. */
    most: most === null ? null : amountOf(meter, most),
    is_default: isDefault,
    /** Null for requests, of which none are used but in the present second or minute. */
    used: isRate ? null : amountOf(meter, used),
    resets_at: toIsoOrNull(endOf({ meter, startsAt })),
  };
}
