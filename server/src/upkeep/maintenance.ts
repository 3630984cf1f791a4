import { sweepTokens } from '../accounts/client-token-store.ts';
import { followClock } from '../db/follow-clock.ts';
import type { ImageStore } from '../images/image-store.ts';
import { sweepOrphans } from '../images/sweep-orphans.ts';
import { findKnownJobs } from '../jobs/job-store.ts';
import type { JobSignals } from '../jobs/signals.ts';
import { sweepRates } from '../limits/rate-store.ts';
import { type MaintainDeps, maintainJobs } from '../queue/expire-jobs.ts';
import type { RetentionDays } from '../retention/retention.ts';
import type { Clock } from '../std/clock.ts';
import { firstIdAt, isUuid } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { startLoop } from '../std/loop.ts';
import { newWorkerId } from '../std/worker-id.ts';
import { sweepUploads } from '../uploads/sweep-uploads.ts';
import { findKnownUploads } from '../uploads/upload-store.ts';
import { deleteOldHealth } from '../webhooks/endpoints/health-store.ts';
import { readStoreClaim } from './installation-store.ts';
import { isHolder } from './is-holder.ts';
import { keepRetention, sweepKeys } from './keep-retention.ts';
import { createSteps, Stopped } from './small-steps.ts';
import type { StoreWatch } from './store-ownership.ts';
import { sweepRemovals } from './sweep-removals.ts';
import { findViolations } from './verify-store.ts';
import { writeWords } from './write-words.ts';

// Adds at most a second to the 20 s after which a dead worker's lease runs out.
const maintainEveryMs = 1_000;
// The limit for queued jobs is a day, so this is precise enough.
const checkQueueEveryMs = 30_000;
// A search writes what it needs by itself; this keeps that little.
const writeWordsEveryMs = 15_000;
const cleanEveryMs = 10 * 60_000;
// Reads all keys of accounts that do not keep them with their jobs.
const sweepKeysEveryMs = 24 * 60 * 60_000;
// Renewed every half minute; then another process takes over.
const keeperMs = 150_000;
// Well before an image is old enough to be removed by a copy that does not have its job.
const markEveryMs = 60_000;

export interface MaintenanceDeps extends Omit<MaintainDeps, 'onClaimable'> {
  images: ImageStore;
  store: StoreWatch;
  signals: JobSignals;
  log: Log;
  clock: Clock;
  retention: RetentionDays;
}

/** All periodic work; any number of processes may do it at the same time. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const every = (everyMs: number, runOnce: (signal: AbortSignal) => Promise<boolean>) => {
    const onError = (error: unknown) => deps.log.warn('maintenance.failed', { reason: String(error) });
    stack.use(startLoop({ everyMs, onError, runOnce }));
  };
  // Separate loops, so that an unreachable store does not stop the checks of the ledger.
  every(maintainEveryMs, () => followClockOnce(deps));
  every(maintainEveryMs, () => maintainOnce({ ...deps, checkQueued: false }));
  every(checkQueueEveryMs, () => maintainOnce(deps));
  every(markEveryMs, () => markOnce(deps));
  const name = newWorkerId(Date.now());
  every(cleanEveryMs, (signal) => purgeOnce(deps, name, signal));
  every(sweepKeysEveryMs, (signal) => sweepKeysOnce(deps, signal));
  every(cleanEveryMs, (signal) => sweepOnce(deps, signal));
  every(cleanEveryMs, () => sweepRowsOnce(deps));
  every(writeWordsEveryMs, (signal) => writeWords(deps.database, signal));
  every(cleanEveryMs, (signal) => verifyOnce(deps, signal));
  return stack;
}

async function followClockOnce({ database, log }: MaintenanceDeps): Promise<boolean> {
  const backMs = await followClock(database);
  if (backMs > 0) log.warn('clock.went_back', { of: 'database', ms: Math.round(backMs) });
  return false;
}

async function maintainOnce(deps: MaintenanceDeps): Promise<boolean> {
  const done = await maintainJobs({ ...deps, onClaimable: () => deps.signals.queued() });
  if (done.reclaimed + done.failed + done.holds > 0) deps.log.info('jobs.maintained', done);
  return false;
}

async function markOnce({ store }: MaintenanceDeps): Promise<boolean> {
  await store.mayRemove();
  return false;
}

/** One process does it at a time, since its steps leave room for the creates of all. */
async function purgeOnce(deps: MaintenanceDeps, name: string, signal: AbortSignal): Promise<boolean> {
  const { database, log, store } = deps;
  const mayGoOn = async () =>
    (await isHolder(database, { of: 'retention_keeper', name, forMs: keeperMs })) && store.mayRemove();
  if (!(await mayGoOn())) return false;
  const step = createSteps(database, { signal, mayGoOn });
  try {
    const gone = await keepRetention({ ...deps, step });
    if (Object.keys(gone).length > 0) log.info('retention.kept', gone);
    const swept = await sweepUploads(deps);
    if (swept.uploads > 0) log.info('uploads.swept', swept);
    await sweepRemovals({ ...deps, step });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  return false;
}

async function sweepKeysOnce(deps: MaintenanceDeps, signal: AbortSignal): Promise<boolean> {
  await sweepKeys({ ...deps, step: createSteps(deps.database, { signal }) });
  return false;
}

async function sweepOnce(deps: MaintenanceDeps, signal: AbortSignal): Promise<boolean> {
  const { images, log } = deps;
  const swept = await images.sweep();
  const orphans = (await deps.store.mayRemove()) ? await removeOrphans(deps, signal) : 0;
  if (swept.removed + orphans > 0) log.info('images.swept', { unfinished: swept.removed, orphans });
  return false;
}

async function sweepRowsOnce({ database, log }: MaintenanceDeps): Promise<boolean> {
  await database.transaction(deleteOldHealth);
  await database.transaction(sweepRates);
  const tokens = await database.transaction(sweepTokens);
  if (tokens > 0) log.info('client_tokens.swept', { tokens });
  return false;
}

async function verifyOnce({ database, log }: MaintenanceDeps, signal: AbortSignal): Promise<boolean> {
  const violations = await findViolations(database.read, { signal });
  for (const violation of violations) log.error('invariant.violated', violation);
  return false;
}

/**
 * Removes images whose job or upload, which their name contains, does not exist. Images from before this database, or
 * from before it adopted the store, are kept: a store may outlive an installation's database.
 */
async function removeOrphans(
  { database, images, clock }: MaintenanceDeps,
  signal: AbortSignal,
): Promise<number> {
  const firstId = firstIdAt(await readStoreClaim(database.read));
  const isOurs = (key: string) => isUuid(idOf(key)) && idOf(key) >= firstId;
  let removed = 0;
  for (const [prefix, findKnown] of owners) {
    const swept = await sweepOrphans(images, {
      prefix,
      signal,
      nowMs: clock.nowMs(),
      async isKnown(keys) {
        const known = await findKnown(database.read, [...new Set(keys.filter(isOurs).map(idOf))]);
        return new Set(keys.filter((key) => !isOurs(key) || known.has(idOf(key))));
      },
    });
    removed += swept.removed;
  }
  return removed;
}

/** The images of each folder belong to rows that this finds by the ids in their names. */
const owners = [
  ['results/', findKnownJobs],
  ['inputs/', findKnownJobs],
  ['uploads/', findKnownUploads],
] as const;

/** `results/{job_id}/1.png`, `uploads/{upload_id}.png`. */
function idOf(key: string): string {
  return key.split('/')[1]?.split('.')[0] ?? '';
}
