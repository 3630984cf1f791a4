import { followClock, type OwnLooks } from '../../base/db/follow-clock.ts';
import { startRestingLoop } from '../../base/db/start-resting-loop.ts';
import type { Counter } from '../../base/metrics/meter.ts';
import { startLoop } from '../../base/std/loop.ts';
import { type MaintainDeps, maintainJobs, waitsForMaintenance } from '../queue/maintain-jobs.ts';
import type { JobSignals } from '../signals.ts';
import { startElection } from './election.ts';
import { startUpkeep, type UpkeepDeps } from './upkeep.ts';

// The interval of maintenance. It adds at most a second to the 20 s in which a dead worker's lease expires.
const maintainEveryMs = 1_000;
// The interval of checks of queued jobs. It need not be shorter, because queued jobs may wait for a day.
const checkQueueEveryMs = 30_000;
// The interval of updates to the store's mark. It is far below `orphanGraceMs`, so that a copied database sees an
// update before it removes images.
const markEveryMs = 60_000;

export interface MaintenanceDeps extends UpkeepDeps, Omit<MaintainDeps, 'onClaimable'> {
  signals: JobSignals;
}

/** Starts the loops of every process, and upkeep in the elected process. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const expired = deps.meter.counter(
    'darkroom_leases_expired_total',
    'Leases that workers did not extend. Their jobs are retried.',
  );
  const onError = (error: unknown) => deps.log.warn('maintenance.failed', { reason: String(error) });
  const every = (everyMs: number, runOnce: () => Promise<boolean>) =>
    stack.use(startLoop({ everyMs, onError, runOnce }));
  // Every process runs these loops, so that they do not depend on one process. This is cheap, because indexes find the
  // few rows that the loops need.
  const looks: OwnLooks = { monotonicMs: () => deps.clock.monotonicMs() };
  every(maintainEveryMs, () => followClockOnce(deps, looks));
  stack.use(
    startRestingLoop({
      ...{ database: deps.database, waits: waitsForMaintenance, everyMs: maintainEveryMs, onError },
      runOnce: () => maintainOnce({ ...deps, checkQueued: false }, expired),
    }),
  );
  every(checkQueueEveryMs, () => maintainOnce(deps, expired));
  every(markEveryMs, () => markOnce(deps));
  stack.use(startElection(deps.database, { begin: () => startUpkeep(deps), onError }));
  return stack;
}

async function followClockOnce({ database, log }: MaintenanceDeps, looks: OwnLooks): Promise<boolean> {
  const stepMs = Math.round(await followClock(database, looks));
  if (stepMs < 0) log.warn('clock.went_back', { of: 'database', ms: -stepMs });
  if (stepMs > 0) log.warn('clock.went_forward', { of: 'database', ms: stepMs });
  return false;
}

async function maintainOnce(deps: MaintenanceDeps, expired: Counter): Promise<boolean> {
  const done = await maintainJobs({ ...deps, onClaimable: () => deps.signals.queued() });
  expired.add([], done.reclaimed);
  if (done.reclaimed + done.failed + done.holds > 0) deps.log.info('jobs.maintained', done);
  return false;
}

async function markOnce({ store }: MaintenanceDeps): Promise<boolean> {
  await store.mayRemove();
  return false;
}
