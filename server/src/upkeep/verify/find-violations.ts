import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../../db/schema.ts';
import { maxViolations, type Violation } from './checks-store.ts';
import { verifyPass } from './verify-pass.ts';

const defaultPageSize = 5_000;

/** All that violates an invariant of accounts, ledger, jobs, keys, events, batches or limits now. Empty when all is well. */
export async function findViolations(
  queries: Queries,
  { pageSize = defaultPageSize }: { pageSize?: number } = {},
): Promise<Violation[]> {
  return (await verifyNow(queries, { pageSize })).violations;
}

/** The same, with how many rows were read of what. */
export async function verifyNow(
  queries: Queries,
  { pageSize = defaultPageSize }: { pageSize?: number } = {},
): Promise<{ checked: Record<string, number>; violations: Violation[] }> {
  const checked: Record<string, number> = {};
  const violations: Violation[] = [];
  for await (const { stage, rows, violations: found } of verifyPass(queries, { rows: () => pageSize })) {
    if (stage !== 'limits') checked[stage] = (checked[stage] ?? 0) + rows;
    violations.push(...found);
    if (violations.length >= maxViolations) break;
    await setImmediate();
  }
  return { checked, violations };
}
