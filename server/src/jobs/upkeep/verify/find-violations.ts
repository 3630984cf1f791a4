import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../../../base/db/schema.ts';
import { maxViolations, type Violation } from './checks-store.ts';
import { verifyPass } from './verify-pass.ts';

const defaultPageSize = 5_000;

export async function findViolations(
  queries: Queries,
  { pageSize = defaultPageSize }: { pageSize?: number } = {},
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const { violations: found } of verifyPass(queries, { rows: () => pageSize })) {
    violations.push(...found);
    if (violations.length >= maxViolations) break;
    await setImmediate();
  }
  return violations;
}
