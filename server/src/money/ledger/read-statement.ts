import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { makeStatement, readMonth, type Statement } from './statement.ts';
import { sumEntries } from './statement-store.ts';

/**
 * Reads a month's statement. Entries never change, so the statement of a past month is always the same.
 * @throws AppError `invalid_request` for text that is not a month, or for a future month; `not_found` for a month
 * before the account existed
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
