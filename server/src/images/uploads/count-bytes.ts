import { readNow } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { countUses } from '../../money/limits/count-uses.ts';
import {
  type JobMeter,
  type Limit,
  type LimitDefaults,
  type Payer,
  subjectIdsOf,
} from '../../money/limits/limit.ts';
import { limitError } from '../../money/limits/limit-error.ts';
import { readLimits, saveLimits } from '../../money/limits/limit-store.ts';
import { subjectsOf, underDefaults } from '../../money/limits/list-limits.ts';

interface Counted {
  payer: Payer;
  bytes: number;
  defaults: LimitDefaults;
}

export interface CountedBytes {
  bytes: number;
  countedBy: readonly Limit<JobMeter>[];
}

/**
 * Counts an upload against a locked account's limits, and returns the limits that count it.
 * @throws AppError `input_limit_reached`
 */
export async function countBytes(tx: Tx, counted: Counted): Promise<Limit<JobMeter>[]> {
  const limits = await countIfWithin(tx, counted);
  await saveLimits(tx, limits);
  return limits;
}

/** Takes an upload off the limits of a locked account that counted it, unless their day has ended. */
export async function takeBackBytes(tx: Tx, { countedBy, bytes }: CountedBytes): Promise<void> {
  const startOf = new Map(countedBy.map(({ subject, startsAt }) => [subject.id, startsAt]));
  const stored = await readLimits(tx, [...startOf.keys()], ['input']);
  // A limit that was removed and set again began at 0.
  const counting = stored.filter(
    ({ subject, startsAt, used }) => startsAt === startOf.get(subject.id) && used >= BigInt(bytes),
  );
  await saveLimits(
    tx,
    counting.map((limit) => ({ ...limit, used: limit.used - BigInt(bytes) })),
  );
}

/** Returns the limits whose counts change. @throws AppError `input_limit_reached` */
export async function countIfWithin(
  queries: Queries,
  { payer, bytes, defaults }: Counted,
): Promise<Limit<JobMeter>[]> {
  const subjectIds = subjectIdsOf(payer);
  const nowMs = await readNow(queries);
  const stored = await readLimits(queries, subjectIds, ['input']);
  const asked = { subjects: subjectsOf([payer]), of: ['input'] as const, defaults, nowMs };
  const uses = countUses(await underDefaults(queries, stored, asked), nowMs);
  const use = { subjectIds, jobs: 0, priceMicros: 0n, inputBytes: BigInt(bytes) };
  const passed = uses.passedBy(use);
  if (passed) throw limitError(passed, { ...use, nowMs });
  uses.take(use);
  return uses.changed(stored.length);
}
