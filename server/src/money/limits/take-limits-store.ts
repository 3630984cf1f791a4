import { sql } from 'kysely';
import { assertHolds, isAnyOf, orOutdated, rowsOf } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { type JobMeter, jobMeters, type Limit } from './limit.ts';
import { isWaitingOf } from './limit-store.ts';

export interface LimitUse {
  subjectIds: readonly string[];
  /** All limits that were read, even those of refused requests. The first `stored` limits have rows. */
  limits: readonly Limit<JobMeter>[];
  stored: number;
  changed: readonly Limit<JobMeter>[];
}

const columns = {
  subject_id: 'uuid',
  meter: 'text',
  is_default: 'integer',
  most: 'integer',
  starts_at: 'integer',
  use: 'integer',
} as const;

/**
 * Adds what these admissions use to the limits' counters. The admissions were decided without a lock, so this asserts
 * that limits and periods are still the same, and that the use still fits. Lock the accounts and write the jobs first.
 */
export async function takeIfAllowed(
  tx: Tx,
  { subjectIds, limits, stored, changed }: LimitUse,
): Promise<void> {
  const ids = [...new Set(subjectIds)];
  const own = limits.filter(({ subject }) => ids.includes(subject.id));
  const before = limits.slice(0, stored).filter((limit) => own.includes(limit));
  const areSame = sql<boolean>`(select count(*) from limits where ${isAnyOf(tx, 'subject_id', ids, 'uuid')}
    and meter in (${sql.join(jobMeters)})) = ${before.length}`;
  const uses = rowsOf(
    tx,
    columns,
    changed.map((limit) => ({
      subject_id: limit.subject.id,
      meter: limit.meter,
      is_default: limit.isDefault ? 1 : 0,
      most: limit.most,
      starts_at: limit.startsAt,
      use: limit.used - (find(before, limit)?.used ?? 0n),
    })),
  );
  const taken = sql`update limits set used = limits.used + uses.use from ${uses} as uses
    where limits.subject_id = uses.subject_id and limits.meter = uses.meter and limits.starts_at = uses.starts_at
      and limits.is_default = uses.is_default and (limits.is_default = 1 or limits.most is not distinct from uses.most)
      and (uses.most is null or limits.used + uses.use <= uses.most)
    returning 1`;
  const areTaken = sql<boolean>`(select count(*) from taken) = ${changed.length} and ${areSame}`;
  await Promise.all([
    changed.length === 0
      ? assertHolds(tx, areSame)
      : sql`with taken as (${taken}) select ${orOutdated(areTaken)}`.execute(tx),
    ...own.map(({ subject, meter, most }) =>
      meter === 'waiting' && most !== null
        ? assertHolds(tx, sql`(select count(*) from jobs where ${isWaitingOf(subject)}) <= ${most}`)
        : undefined,
    ),
  ]);
}

/** Whether `takeIfAllowed` can count these limits: they have rows, and no new period has begun. */
export function canBeTaken(stored: readonly Limit<JobMeter>[], changed: readonly Limit<JobMeter>[]): boolean {
  return changed.every((limit) => find(stored, limit)?.startsAt === limit.startsAt);
}

function find(limits: readonly Limit<JobMeter>[], { subject, meter }: Limit): Limit | undefined {
  return limits.find((one) => one.meter === meter && one.subject.id === subject.id);
}
