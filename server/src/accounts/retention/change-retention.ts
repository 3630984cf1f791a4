import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { groupDigits } from '../../base/std/group-digits.ts';
import { AppError } from '../../errors.ts';
import { livingAccountOf } from '../account-of.ts';
import { leastDays, longestDays, type Part, parts } from './retention.ts';
import { putRetention, readOwnRetention } from './retention-store.ts';

/** Days; null: the installation's setting. */
export type RetentionChanges = { readonly [part in Part]?: number | null };

/** @throws AppError `invalid_request` */
export async function changeRetention(
  { database }: { database: Database },
  { accountId, changes }: { accountId: string; changes: RetentionChanges },
  by: Actor,
): Promise<void> {
  const changed = parts.flatMap((part) => {
    const days = changes[part];
    return days === undefined ? [] : [{ part, days }];
  });
  for (const { part, days } of changed) if (days !== null) assertDays(part, days);
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

function assertDays(part: Part, days: number): void {
  if (Number.isInteger(days) && days >= leastDays(part) && days <= longestDays) return;
  const range = `from ${leastDays(part)} to ${groupDigits(longestDays)}`;
  throw new AppError('invalid_request', `The days of ${part} must be a whole number ${range}.`);
}
