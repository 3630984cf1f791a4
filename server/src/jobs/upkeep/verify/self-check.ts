import type { Database } from '../../../base/db/database.ts';
import { maxViolations, type Violation } from './checks-store.ts';
import { createPace } from './pace.ts';
import { verifyPass } from './verify-pass.ts';

export interface SelfCheck {
  checked: Record<string, number>;
  violations: Violation[];
  complete: boolean;
}

// The time for which the caller waits, enough to read a million jobs.
const patienceMs = 20_000;

/** Checks the invariants while the caller waits. It rests for half of that time, so that other requests are served. */
export async function selfCheck(
  database: Database,
  { forMs = patienceMs }: { forMs?: number } = {},
): Promise<SelfCheck> {
  const pace = createPace(database, { rests: 1 });
  const seen: SelfCheck = { checked: {}, violations: [], complete: false };
  const pages = verifyPass(database.read, { rows: pace.rows });
  const end = performance.now() + forMs;
  while (!seen.complete && performance.now() < end)
    await pace.step(async () => {
      const { done, value: page } = await pages.next();
      seen.complete = done === true;
      if (done) return;
      const { stage, rows, violations } = page;
      if (stage !== 'limits') seen.checked[stage] = (seen.checked[stage] ?? 0) + rows;
      seen.violations = [...seen.violations, ...violations].slice(0, maxViolations);
    });
  return seen;
}
