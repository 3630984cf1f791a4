import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { AppError, invalidField } from '../../errors.ts';
import { makeStatement, parseMonth, type Statement } from './statement.ts';
import { sumEntries } from './statement-store.ts';

const firstMonth = '1970-01';

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
  const month = parseMonth(text);
  if (!month || month.startsAt > nowMs)
    throw invalidField('/month', 'must be a month that has begun, such as 2026-10.');
  // By its text: years before 100 are read as those of the last century.
  if (text < firstMonth) throw new AppError('not_found', `There is no statement of ${text}.`);
  const sums = await sumEntries(queries, account.id, month);
  return makeStatement(account, month, { ...sums, currency, nowMs });
}
