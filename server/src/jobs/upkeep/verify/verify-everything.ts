import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../base/db/database.ts';
import type { ImageStore } from '../../../images/image-store.ts';
import { maxViolations, type Violation } from './checks-store.ts';
import { imagePages } from './verify-images.ts';
import { atStart, type Position, verifyPass } from './verify-pass.ts';

/** The progress of a verification, stored as JSON, so that an interrupted verification can continue. */
export interface Verification {
  checked: Record<'accounts' | 'entries' | 'keys' | 'jobs' | 'batches' | 'images', number>;
  violations: Violation[];
  position: Position | null;
  /** The job of the last image read; null if none was. */
  lastImage: string | null;
}

export const unbegun: Verification = {
  checked: { accounts: 0, entries: 0, keys: 0, jobs: 0, batches: 0, images: 0 },
  violations: [],
  position: atStart,
  lastImage: null,
};

const pageSize = 5_000;

/** Verifies every row, then every image, as fast as possible. Reports progress after each page. */
export async function* verifyEverything(
  { database, images }: { database: Database; images: ImageStore | null },
  from: Verification,
): AsyncGenerator<Verification> {
  let now = from;
  const found = (violations: readonly Violation[]) =>
    [...now.violations, ...violations].slice(0, maxViolations);
  if (now.position)
    for await (const page of verifyPass(database.read, { from: now.position, rows: () => pageSize })) {
      const { stage, rows, position } = page;
      const checked =
        stage === 'limits' ? now.checked : { ...now.checked, [stage]: now.checked[stage] + rows };
      now = { ...now, checked, violations: found(page.violations), position };
      yield now;
      await setImmediate();
    }
  if (!images) return;
  for await (const page of imagePages({ database, images }, now.lastImage)) {
    const checked = { ...now.checked, images: now.checked.images + page.images };
    const lastImage = page.after ?? now.lastImage;
    now = { ...now, checked, violations: found(page.violations), lastImage };
    yield now;
  }
}
