import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { addUp, readMonth, type StatementOf } from '../../money/ledger/statement.ts';
import { dayMs } from '../read-days.ts';
import { type Movement, type MovementSum, movements, sumMovements } from './owed-store.ts';

/**
 * Reads the statement of a month, across all accounts. Past months never change.
 * @throws AppError `invalid_request`, `not_found`
 */
export async function readInstallationStatement(
  queries: Queries,
  { month: text, currency }: { month: string; currency: string },
): Promise<StatementOf<Movement>> {
  const nowMs = await readNow(queries);
  const month = readMonth(text, nowMs);
  const [first, last] = [month.startsAt / dayMs, month.endsAt / dayMs - 1];
  const sums = await sumMovements(queries, { first, last });
  const openingMicros = sums
    .filter(({ day }) => day < first)
    .reduce((sum, { changeMicros }) => sum + changeMicros, 0n);
  const within = sums.filter(({ day }) => day >= first);
  return addUp({}, month, { openingMicros, lines: linesOf(within), currency, nowMs });
}

function linesOf(sums: readonly MovementSum[]): MovementSum[] {
  const lines = Map.groupBy(sums, ({ kind, model }) => `${movements.indexOf(kind)} ${model ?? ''}`);
  return [...lines]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([, [line, ...more]]) => (line ? [more.reduce(together, line)] : []));
}

function together(one: MovementSum, other: MovementSum): MovementSum {
  const [count, changeMicros] = [one.count + other.count, one.changeMicros + other.changeMicros];
  return { ...one, count, changeMicros };
}
