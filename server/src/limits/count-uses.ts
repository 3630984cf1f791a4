import { atTime, type JobMeter, type Limit, useOf } from './limit.ts';

/** A request for one or more jobs. */
interface Asked {
  subjectIds: readonly string[];
  /** Of all jobs together. */
  priceMicros: bigint;
}

export interface UseCounter {
  /** The limit, as it is now, that so many jobs would pass. */
  passedBy(asked: Asked, jobs: number): Limit<JobMeter> | undefined;
  take(asked: Asked, jobs: number): void;
  /** Those of which something was taken. */
  changed(): Limit<JobMeter>[];
}

/** Counts creates against limits, in order of arrival. Pure. */
export function countUses(limits: readonly Limit<JobMeter>[], nowMs: number): UseCounter {
  const current = limits.map((limit) => atTime(limit, nowMs));
  const taken = new Set<Limit<JobMeter>>();
  const of = ({ subjectIds }: Asked) => current.filter(({ subject }) => subjectIds.includes(subject.id));
  return {
    passedBy(asked, jobs) {
      const passed = of(asked).find(
        ({ meter, most, used }) => used + useOf(meter, asked.priceMicros, jobs) > most,
      );
      return passed && { ...passed }; // later requests of the batch go on counting
    },
    take(asked, jobs) {
      for (const limit of of(asked)) {
        limit.used += useOf(limit.meter, asked.priceMicros, jobs);
        taken.add(limit);
      }
    },
    changed: () => [...taken],
  };
}
