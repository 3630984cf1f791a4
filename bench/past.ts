import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../server/src/app.ts';
import { ownerOf } from '../server/src/images/object-keys.ts';
import { findKnownJobs } from '../server/src/jobs/job-store.ts';
import { keepRetention } from '../server/src/jobs/upkeep/keep-retention.ts';
import { createSteps, type Step } from '../server/src/jobs/upkeep/small-steps.ts';
import { findViolations } from '../server/src/jobs/upkeep/verify/find-violations.ts';

/** What remains after the removal: images, and violated invariants. All numbers should be 0. */
export interface Left {
  /** The number of stored objects; `orphans` counts the jobs that have objects but no row. */
  objects: number;
  orphans: number;
  violations: number;
}

/** Removes old jobs inside the process of a server that is under load, as maintenance does, but on command. */
export function createPast({ database, images }: Pick<App, 'database' | 'images'>) {
  let stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const past = {
    removed: 0,
    isOver: false,
    begin() {
      stop = new AbortController();
      const steps = createSteps(database, { signal: stop.signal });
      // Counts a step's rows before the pause that follows it, because a round may end during the pause.
      const step: Step = (work, effects) =>
        steps(async (tx, limit) => {
          const rows = await work(tx, limit);
          past.removed += rows;
          return rows;
        }, effects);
      running = keepRetention({ database, images, retention: {}, guardrails: null, step }).then(
        () => (past.isOver = true),
        (error: unknown) => {
          if (!stop.signal.aborted) throw error;
        },
      );
    },
    async end() {
      stop.abort(new Error('the round is over'));
      await running;
    },
    async look(): Promise<Left> {
      const keys = (await Array.fromAsync(images.list('results/'))).map(({ key }) => key);
      const ids = [...new Set(keys.flatMap((key) => ownerOf(key) ?? []))];
      const known = await findKnownJobs(database.read, ids);
      const orphans = ids.filter((id) => !known.has(id)).length;
      return { objects: keys.length, orphans, violations: (await findViolations(database.read)).length };
    },
  };
  return past;
}

export async function putImages(
  { database }: Pick<App, 'database'>,
  folder: string,
  count: number,
): Promise<void> {
  const rows = await database.read
    .selectFrom('jobs')
    .select('image_key')
    .where('image_key', 'is not', null)
    .orderBy('id')
    .limit(count)
    .execute();
  for (let at = 0; at < rows.length; at += 64)
    await Promise.all(
      rows.slice(at, at + 64).map(async ({ image_key }) => {
        const path = join(folder, image_key ?? '');
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, 'an image');
      }),
    );
}
