import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { makeStatement, readMonth, type Statement } from './statement.ts';
import { sumEntries } from './statement-store.ts';

/**
 * Reads the statement of an account's month: the balance before, the changes, the balance after. The entries, which never change,
 * add up to it, so a month that is over always has the same statement.
 *
 * @throws AppError `invalid_request` for text that is no month, or for a month that has not begun; `not_found` for one before the
 * account
 */
export async function readStatement(
  queries: Queries,
  account: { id: string; name: string },
  { month: text, currency }: { month: string; currency: string },
): Promise<Statement> {
  const nowMs = await readNow(queries);
  const month = readMonth(text, nowMs);
  const sums = await sumEntries(queries, account.id, month);
  return makeStatement(account, month, { ...sums, currency, nowMs });
}
