import type { RetentionSettings } from '../../accounts/retention/retention.ts';
import type { Database } from '../../base/db/database.ts';
import type { Meter } from '../../base/metrics/meter.ts';
import type { Clock } from '../../base/std/clock.ts';
import { firstIdAt } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { startLoop } from '../../base/std/loop.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { ownerOf } from '../../images/object-keys.ts';
import { sweepOrphans } from '../../images/sweep-orphans.ts';
import { sweepUploads } from '../../images/uploads/sweep-uploads.ts';
import { findKnownUploads } from '../../images/uploads/upload-store.ts';
import { tellExpiringKeys } from '../../notify/alerts/tell-expiring-keys.ts';
import { tellMargins } from '../../notify/alerts/tell-margins.ts';
import { rollUp } from '../activity/roll-up.ts';
import { findKnownFiles } from '../batch-files/batch-file-store.ts';
import type { CancelDeps } from '../cancel/cancel-job.ts';
import { deleteOldCosts } from '../costs/attempt-cost-store.ts';
import { type MarginAlertDeps, readMarginAlerts } from '../costs/read-margin-alerts.ts';
import { findKnownJobs } from '../job-store.ts';
import { findEvidenced } from '../reports/report-store.ts';
import { findAcceptedJobs, readStoreClaim } from './installation-store.ts';
import { type KeptRefusals, keepRetention, sweepKeys } from './keep-retention.ts';
import { overwriteErased } from './overwrite-erased.ts';
import { finishErasures } from './people/finish-erasures.ts';
import { createSteps, Stopped } from './small-steps.ts';
import type { StoreWatch } from './store-ownership.ts';
import { sweepRemovals } from './sweep-removals.ts';
import { sweepRows } from './sweep-rows.ts';
import type { Violation } from './verify/checks-store.ts';
import { verifyAll, verifyChanges, verifySomeImages } from './verify/verify-changes.ts';
import { writeWords } from './write-words.ts';

// The interval of indexing. It is short, so that a search has few jobs left to index itself.
const writeWordsEveryMs = 15_000;
// The interval of counting. It is short, so that readers have few entries left to add themselves.
const rollUpEveryMs = 15_000;
const cleanEveryMs = 10 * 60_000;
// The interval of a sweep that reads all keys of accounts that keep keys for a different time than jobs.
const sweepKeysEveryMs = 24 * 60 * 60_000;
// The interval of announcements. It need not be shorter, because key expiry is announced a week before and margin
// alerts cover two days.
const tellEveryMs = 10 * 60_000;
const verifyEveryMs = 60_000;
const eraseEveryMs = 60_000;
// The interval of overwriting data that an erasure left, because it was interrupted or a reader prevented it.
const overwriteEveryMs = 60_000;

export interface UpkeepDeps extends CancelDeps, MarginAlertDeps {
  database: Database;
  images: ImageStore;
  store: StoreWatch;
  log: Log;
  clock: Clock;
  retention: RetentionSettings;
  guardrails: KeptRefusals | null;
  meter: Meter;
}

/** Starts the work that one process does for all processes. Requests run between its small steps. */
export function startUpkeep(deps: UpkeepDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const every = (everyMs: number, work: (signal: AbortSignal) => Promise<void>) => {
    const onError = (error: unknown) => deps.log.warn('maintenance.failed', { reason: String(error) });
    const runOnce = (signal: AbortSignal) => work(signal).then(() => false);
    stack.use(startLoop({ everyMs, onError, runOnce }));
  };
  const { database } = deps;
  const { onViolation, noteChecked } = createVerificationNotes(deps);
  // The loops are separate, so that an unreachable store does not stop the checks of the ledger.
  every(cleanEveryMs, (signal) => purgeOnce(deps, signal));
  every(sweepKeysEveryMs, (signal) => sweepKeysOnce(deps, signal));
  every(cleanEveryMs, (signal) => sweepOnce(deps, signal));
  every(cleanEveryMs, (signal) => sweepRows(deps, signal));
  every(tellEveryMs, async (signal) => {
    while (!signal.aborted && (await tellExpiringKeys(database)));
  });
  every(tellEveryMs, () => tellMargins(database, () => readMarginAlerts(deps)));
  every(eraseEveryMs, (signal) => eraseOnce(deps, signal));
  every(overwriteEveryMs, async (signal) => {
    if (!(await overwriteErased(database, { signal }))) deps.log.warn('erasure.not_overwritten');
  });
  every(writeWordsEveryMs, async (signal) => {
    while (await writeWords(database, signal));
  });
  every(rollUpEveryMs, (signal) => rollUp(database, createSteps(database, { signal })));
  every(verifyEveryMs, async (signal) => {
    await verifyChanges({ database, signal, onViolation });
    noteChecked();
  });
  every(verifyEveryMs, (signal) => verifyAll({ database, signal, onViolation }));
  every(cleanEveryMs, (signal) => verifySomeImages({ ...deps, signal, onViolation }));
  return stack;
}

function createVerificationNotes({ log, meter, clock }: UpkeepDeps) {
  const found = meter.counter('darkroom_invariant_violations_total', 'Violated invariants found by checks.');
  const checked = meter.gauge(
    'darkroom_invariants_checked_timestamp_seconds',
    'When this process last checked changed rows.',
  );
  return {
    onViolation(violation: Violation) {
      found.add();
      log.error('invariant.violated', violation);
    },
    noteChecked: () => checked.set(clock.nowMs() / 1000),
  };
}

async function eraseOnce(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const mayRemove = () => deps.store.mayRemove();
  const { accounts } = await finishErasures({ ...deps, mayRemove }, { signal });
  if (accounts > 0) deps.log.info('accounts.erased', { accounts });
}

async function purgeOnce(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const { database, log, store } = deps;
  const mayGoOn = () => store.mayRemove();
  if (!(await mayGoOn())) return;
  const step = createSteps(database, { signal, mayGoOn });
  try {
    const gone = await keepRetention({ ...deps, step });
    if (Object.keys(gone).length > 0) log.info('retention.kept', gone);
    const swept = await sweepUploads(deps);
    if (swept.uploads > 0) log.info('uploads.swept', swept);
    while ((await step(deleteOldCosts)) > 0);
    await sweepRemovals({ ...deps, step });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

async function sweepKeysOnce(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  await sweepKeys({ ...deps, step: createSteps(deps.database, { signal }) });
}

async function sweepOnce(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const { images, log } = deps;
  const swept = await images.sweep();
  const orphans = (await deps.store.mayRemove()) ? await removeOrphans(deps, signal) : 0;
  if (swept.removed + orphans > 0) log.info('images.swept', { unfinished: swept.removed, orphans });
}

/**
 * Removes images whose job or upload does not exist. Images older than this database's claim to the store stay, except
 * those of jobs that this database had accepted and has removed since.
 */
async function removeOrphans({ database, images, clock }: UpkeepDeps, signal: AbortSignal): Promise<number> {
  const firstId = firstIdAt(await readStoreClaim(database.read));
  let removed = 0;
  for (const [prefix, findKnown] of owners) {
    const swept = await sweepOrphans(images, {
      prefix,
      signal,
      nowMs: clock.nowMs(),
      async isKnown(keys) {
        const ids = [...new Set(keys.flatMap((key) => ownerOf(key) ?? []))];
        const known = await findKnown(database.read, ids);
        const unknown = ids.filter((id) => !known.has(id));
        const accepted = await findAcceptedJobs(
          database.read,
          unknown.filter((id) => id < firstId),
        );
        const gone = new Set(unknown.filter((id) => id >= firstId || accepted.has(id)));
        return new Set(keys.filter((key) => !gone.has(ownerOf(key) ?? '')));
      },
    });
    removed += swept.removed;
  }
  return removed;
}

/** For each folder, the function that finds the rows whose ids are in the objects' names. */
const owners = [
  ['results/', findKnownJobs],
  ['inputs/', findKnownJobs],
  ['uploads/', findKnownUploads],
  ['files/', findKnownFiles],
  ['evidence/', findEvidenced],
] as const;
