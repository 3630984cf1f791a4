import { dayMs, type RetentionSettings } from '../../src/accounts/retention/retention.ts';
import type { Database } from '../../src/base/db/database.ts';
import type { ImageStore } from '../../src/images/image-store.ts';
import { type Gone, type KeptRefusals, keepRetention } from '../../src/jobs/upkeep/keep-retention.ts';
import type { Step } from '../../src/jobs/upkeep/small-steps.ts';

/** Removes jobs that ended more than `ageMs` ago; a negative age includes jobs that end until then. */
export function expire(app: { database: Database; images: ImageStore }, ageMs: number): Promise<Gone> {
  return keep(app, { jobs: ageMs / dayMs });
}

export function keep(
  { database, images }: { database: Database; images: ImageStore },
  retention: RetentionSettings,
  guardrails: KeptRefusals | null = null,
  step = stepAtOnce(database),
): Promise<Gone> {
  return keepRetention({ database, images, retention, guardrails, step });
}

export function stepAtOnce(database: Database, limit = 100): Step {
  return async (work, effects) => {
    const rows = await database.transaction((tx) => work(tx, limit));
    await effects?.();
    return rows;
  };
}
