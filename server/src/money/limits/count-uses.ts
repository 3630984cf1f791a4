import { atTime, type JobMeter, type Limit, type Use, useOf } from './limit.ts';

interface Asked extends Use {
  subjectIds: readonly string[];
}

export interface UseCounter {
  /** Returns the first limit that the request would exceed. */
  passedBy(asked: Asked): ReachedLimit | undefined;
  take(asked: Asked): void;
  /** Returns the limits to save: those that were used, and all after the first `stored`, which have no rows yet. */
  changed(stored: number): Limit<JobMeter>[];
}

/** A reached limit. It has an amount, because a limit without one is never reached. */
export type ReachedLimit = Limit<JobMeter> & { most: bigint };

/** Counts requests for jobs against limits, in order of arrival. Pure. */
export function countUses(limits: readonly Limit<JobMeter>[], nowMs: number): UseCounter {
  const current = limits.map((limit) => atTime(limit, nowMs));
  const taken = new Set<Limit<JobMeter>>();
  const of = ({ subjectIds }: Asked) => current.filter(({ subject }) => subjectIds.includes(subject.id));
  return {
    passedBy(asked) {
      for (const limit of of(asked)) {
        const { meter, most, used } = limit;
        const use = useOf(meter, asked);
        // A job that uses nothing of a limit passes, even if the limit is exceeded.
        if (most !== null && use > 0n && used + use > most) return { ...limit, most }; // a copy: counting continues
      }
      return undefined;
    },
    take(asked) {
      for (const limit of of(asked)) {
        const use = useOf(limit.meter, asked);
        if (use === 0n) continue;
        limit.used += use;
        taken.add(limit);
      }
    },
    changed: (stored) => current.filter((limit, index) => index >= stored || taken.has(limit)),
  };
}
