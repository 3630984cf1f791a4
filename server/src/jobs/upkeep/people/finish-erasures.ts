import type { Actor } from '../../../base/audit/audit-store.ts';
import { type EraseDeps, finishErasure } from '../erase-account.ts';
import { listErasedFor } from '../erase-store.ts';

/** Why an account is disabled whose people are gone, until maintenance has erased what was made in it. */
export const leftReason = 'Its last owner deleted themselves. It is being erased.';

const maintenance: Actor = { personId: null, name: 'Darkroom' };

/** Erases what people left behind who deleted themselves. It may be cut off anywhere: the next time goes on with it. */
export async function finishErasures(
  deps: EraseDeps,
  stop: { signal?: AbortSignal } = {},
): Promise<{ accounts: number }> {
  const left = await listErasedFor(deps.database.read, leftReason);
  for (const accountId of left) await finishErasure(deps, accountId, maintenance, stop);
  return { accounts: left.length };
}
