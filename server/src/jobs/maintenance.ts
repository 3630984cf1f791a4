import type { Database } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import { sweepOrphans } from '../images/sweep-orphans.ts';
import { findViolations } from '../ledger/verify-store.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { startLoop } from '../std/loop.ts';
import { findKnownJobs } from './job-store.ts';
import { type MaintainDeps, maintainJobs } from './maintain-jobs.ts';
import { purgeJobs } from './purge-jobs.ts';
import type { JobSignals } from './signals.ts';

// A dead worker's lease runs out after 20 s; this adds a second to it at most.
const maintainEveryMs = 1_000;
const cleanEveryMs = 10 * 60_000;

export interface MaintenanceDeps extends Omit<MaintainDeps, 'onClaimable'> {
  images: ImageStore;
  signals: JobSignals;
  log: Log;
  clock: Clock;
  retentionMs: number;
}

/** Everything that has to happen now and then; any number of processes may do it beside each other. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const onError = (error: unknown) => deps.log.warn('maintenance.failed', { reason: String(error) });
  const stack = new AsyncDisposableStack();
  stack.use(
    startLoop({
      everyMs: maintainEveryMs,
      onError,
      async runOnce() {
        const done = await maintainJobs({ ...deps, onClaimable: () => deps.signals.queued() });
        if (done.reclaimed + done.failed + done.holds > 0) deps.log.info('jobs.maintained', done);
        return false;
      },
    }),
  );
  stack.use(startLoop({ everyMs: cleanEveryMs, onError, runOnce: () => cleanOnce(deps) }));
  return stack;
}

/** Removes what is past its time or belongs to nobody, and checks the books. */
async function cleanOnce({ database, images, clock, log, retentionMs }: MaintenanceDeps): Promise<boolean> {
  const purged = await purgeJobs({ database, images }, retentionMs);
  if (purged.jobs > 0) log.info('jobs.purged', purged);
  const swept = await images.sweep();
  const orphans = await removeOrphans(database, images, clock);
  if (swept.removed + orphans > 0) log.info('images.swept', { unfinished: swept.removed, orphans });
  for (const violation of await findViolations(database.read)) log.error('invariant.violated', violation);
  return purged.jobs > 0;
}

/** Objects are named after their job; one whose job does not exist belongs to nobody. */
async function removeOrphans(database: Database, images: ImageStore, clock: Clock): Promise<number> {
  const jobOf = (key: string) => key.split('/')[1] ?? '';
  let removed = 0;
  for (const prefix of ['results/', 'inputs/']) {
    const swept = await sweepOrphans(images, {
      prefix,
      nowMs: clock.nowMs(),
      async isKnown(keys) {
        const jobs = await findKnownJobs(database.read, [...new Set(keys.map(jobOf))]);
        return new Set(keys.filter((key) => jobs.has(jobOf(key))));
      },
    });
    removed += swept.removed;
  }
  return removed;
}
