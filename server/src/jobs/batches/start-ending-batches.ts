import { startRestingLoop } from '../../base/db/start-resting-loop.ts';
import type { Log } from '../../base/std/log.ts';
import type { Loop } from '../../base/std/loop.ts';
import { standInLine } from '../../money/ledger/ledger-store.ts';
import { type CancelledDeps, endCancelled, tellCancelled } from '../cancel/end-cancelled.ts';
import { lockJob } from '../job-store.ts';
import { type Batch, isAnyCancelling, listCancelling, listUnfinishedIds } from './batch-store.ts';

/** The maximum number of jobs to end in one transaction, which blocks others no longer than a large create does. */
const atOnce = 100;
const lookEveryMs = 1_000;
const maxBatches = 20;

/** Ends jobs of cancelled batches in each process, because the process that cancelled a batch may be gone. */
export function startEndingBatches(deps: CancelledDeps & { log: Log }): Loop {
  return startRestingLoop({
    database: deps.database,
    waits: [isAnyCancelling],
    everyMs: lookEveryMs,
    onError: (error) => deps.log.warn('batches.not_ended', { reason: String(error) }),
    async runOnce(signal) {
      let isMore = false;
      for (const batch of await listCancelling(deps.database.read, maxBatches))
        if (!signal.aborted && (await endSome(deps, batch)) > 0) isMore = true;
      return isMore;
    },
  });
}

export async function endSome(
  deps: CancelledDeps,
  { id, accountId }: Pick<Batch, 'id' | 'accountId'>,
): Promise<number> {
  const cancelled = await deps.database.longTransaction(async (tx) => {
    const [, ids] = await Promise.all([standInLine(tx, [accountId]), listUnfinishedIds(tx, id, atOnce)]);
    const held = await Promise.all(ids.map((jobId) => lockJob(tx, jobId)));
    return endCancelled(
      tx,
      held.filter((one) => one !== undefined),
      deps,
    );
  });
  tellCancelled(deps, cancelled);
  return cancelled.length;
}
