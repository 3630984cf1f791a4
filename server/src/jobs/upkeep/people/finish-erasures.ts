import { actorOf } from '../../../base/audit/audit-store.ts';
import type { Log } from '../../../base/std/log.ts';
import { type EraseDeps, finishErasure } from '../erase-account.ts';
import { listLeftErasures } from '../erase-store.ts';

/** The age at which an operator's erasure counts as interrupted. Only erasures of the largest accounts take longer. */
const patienceMs = 15 * 60_000;

/** Finishes interrupted erasures, and those of accounts whose last owner left. @throws the signal's reason */
export async function finishErasures(
  deps: EraseDeps & { log: Log },
  { patienceMs: wait = patienceMs, ...stop }: { signal?: AbortSignal; patienceMs?: number } = {},
): Promise<{ accounts: number }> {
  let accounts = 0;
  const listLeft = () => listLeftErasures(deps.database.read, wait);
  for (const accountId of await listLeft()) {
    // An operator may have restarted this erasure while others were being finished.
    if (!(await listLeft()).includes(accountId)) continue;
    try {
      await finishErasure(deps, accountId, actorOf('darkroom'), stop);
      accounts += 1;
    } catch (error) {
      stop.signal?.throwIfAborted();
      deps.log.warn('erasure.failed', { account_id: accountId, reason: String(error) });
    }
  }
  return { accounts };
}
