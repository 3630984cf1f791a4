import type { Actor } from '../../../base/audit/audit-store.ts';
import type { Log } from '../../../base/std/log.ts';
import { type EraseDeps, finishErasure } from '../erase-account.ts';
import { listBeingErased } from '../erase-store.ts';

const maintenance: Actor = { personId: null, name: 'Darkroom' };

/**
 * Erases what people left behind who deleted themselves, and what others began to erase and was cut off. It may be cut off anywhere
 * itself: the next time goes on with it. @throws the signal's reason
 */
export async function finishErasures(
  deps: EraseDeps & { log: Log },
  stop: { signal?: AbortSignal } = {},
): Promise<{ accounts: number }> {
  let accounts = 0;
  for (const accountId of await listBeingErased(deps.database.read)) {
    try {
      await finishErasure(deps, accountId, maintenance, stop);
      accounts += 1;
    } catch (error) {
      stop.signal?.throwIfAborted();
      deps.log.warn('erasure.failed', { account_id: accountId, reason: String(error) });
    }
  }
  return { accounts };
}
