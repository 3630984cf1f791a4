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

/** Counts an upload against a locked account's limits. @throws AppError `input_limit_reached` */
export async function countBytes(tx: Tx, counted: Counted): Promise<void> {
  await saveLimits(tx, await countIfWithin(tx, counted));
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
