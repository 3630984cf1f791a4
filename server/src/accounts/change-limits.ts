import type { Tx } from '../db/schema.ts';
import type { LimitChanges, LimitDefaults, Subject } from '../limits/limit.ts';
import { inWords, setLimits } from '../limits/set-limits.ts';
import { livingAccountOf } from './account-of.ts';
import { type Actor, insertAuditEntry } from './audit-store.ts';

/** Sets and removes limits of an account or a key. What its jobs use already counts. */
export async function changeLimits(
  tx: Tx,
  limited: { accountId: string; subject: Subject; changes: LimitChanges; defaults: LimitDefaults },
  by: Actor,
): Promise<void> {
  const { accountId, subject, changes } = limited;
  await livingAccountOf(tx, accountId);
  const before = inWords(await setLimits(tx, limited));
  const detail = {
    ...inWords(changes),
    ...Object.fromEntries(Object.entries(before).map(([word, most]) => [`${word}_before`, most])),
  };
  const entry = { accountId, subject: subject.id, detail };
  await insertAuditEntry(tx, by, { action: `${subject.kind}.limits_changed`, ...entry });
}
