import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { livingAccountOf } from '../account-of.ts';
import { type Part, parts } from './retention.ts';
import { putRetention, readOwnRetention } from './retention-store.ts';

/** Days; null for the installation's setting. */
export type RetentionChanges = { readonly [part in Part]?: number | null };

/** @throws AppError `invalid_request` for an erased account */
export async function changeRetention(
  { database }: { database: Database },
  { accountId, changes }: { accountId: string; changes: RetentionChanges },
  by: Actor,
): Promise<void> {
  const changed = parts.flatMap((part) => {
    const days = changes[part];
    return days === undefined ? [] : [{ part, days }];
  });
  if (changed.length === 0) return;
  await database.transaction(async (tx) => {
    await livingAccountOf(tx, accountId);
    const before = await readOwnRetention(tx, accountId);
    for (const { part, days } of changed) await putRetention(tx, accountId, part, days);
    const detail = Object.fromEntries(
      changed.flatMap(({ part, days }) => [
        [`${part}_days`, days],
        [`${part}_days_before`, before[part] ?? null],
      ]),
    );
    const entry = { action: 'account.retention_changed' as const, accountId, subject: accountId, detail };
    await insertAuditEntry(tx, by, entry);
  });
}
