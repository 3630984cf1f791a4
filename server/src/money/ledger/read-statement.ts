import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { makeStatement, readMonth, type Statement } from './statement.ts';
import { sumEntries } from './statement-store.ts';

/**
 * Reads a month's statement. A past month's statement never changes.
 * @throws AppError `invalid_request` if `month` is not a month or lies in the future; `not_found` before 1970
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
