import { readNames } from '../../../accounts/names-store.ts';
import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import { readNow } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import { newId } from '../../../base/std/ids.ts';
import { toIsoOrNull } from '../../../base/std/iso-time.ts';
import { recordNotices } from '../../../notify/webhooks/event-store.ts';
import type { Strikes } from '../../guardrails/guardrail-settings.ts';
import { pauseIn } from '../pause-jobs.ts';
import { listPauses, pauseOfAccount } from '../pause-store.ts';
import { countRefusals, markStruck } from './refusal-store.ts';

interface Strike {
  account_id: string;
  account_name: string;
  refusals: number;
  within_seconds: number;
  /** Null if the account is only notified. */
  paused: { until: string | null } | null;
}

/** Warns or pauses an account with too many refusals. The caller must hold the account's lock. */
export async function strikeIfOften(
  tx: Tx,
  { count, withinMs, action }: Strikes,
  accountId: string,
  by: Actor,
): Promise<void> {
  const refusals = await countRefusals(tx, { accountId, withinMs, most: count });
  if (refusals < count || pauseOfAccount(await listPauses(tx), accountId)) return;
  await markStruck(tx, accountId);
  const at = await readNow(tx);
  const until = action === 'slow' ? at + withinMs : null;
  const detail = { refusals, within_seconds: withinMs / 1000, action };
  await insertAuditEntry(tx, by, { action: 'account.struck', accountId, subject: accountId, detail });
  if (action !== 'tell')
    await pauseIn(tx, { scope: accountId, reason: 'The policy refused many of its requests', until }, by);
  const data: Strike = {
    account_id: accountId,
    account_name: (await readNames(tx, 'accounts', [accountId])).get(accountId) ?? '',
    refusals,
    within_seconds: withinMs / 1000,
    paused: action === 'tell' ? null : { until: toIsoOrNull(until) },
  };
  await recordNotices(tx, [{ accountId, type: 'policy.strike', aboutId: newId(at), at, data }]);
}
