import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { makeStatement, readMonth, type Statement } from './statement.ts';
import { sumEntries } from './statement-store.ts';

/**
 * A month of an account: what was there, what came and went, and what is left. Added up from the entries, which never
 * change, so that of a month that is over it is always the same.
 *
 * @throws AppError `invalid_request` for what is no month, or one that has not begun; `not_found` for one before there were any
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
