import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { type Days, readDays, toDay } from '../read-days.ts';
import { type MovementSum, movements, sumErased, sumMovements } from './owed-store.ts';

/** The longest range, two years, so that years can be compared. */
export const maxOwedDays = 732;

export type OwedDay = ReturnType<typeof presentOwed>;

/** Reads each day's movements and the balance at its end, newest first. @throws AppError `invalid_request` */
export async function readOwed({ reports }: Pick<Database, 'reports'>, query: Days) {
  const { first, last } = readDays(query, { nowMs: await readNow(reports), maxDays: maxOwedDays });
  const [sums, erased] = await Promise.all([sumMovements(reports, { first, last }), sumErased(reports)]);
  const ofDay = Map.groupBy(sums, ({ day }) => day);
  let owed = total(ofDay.get(first - 1) ?? []);
  const days: OwedDay[] = [];
  for (let day = first; day <= last; day += 1) {
    const moved = ofDay.get(day) ?? [];
    owed += total(moved);
    days.push(presentOwed(day, moved, owed));
  }
  return { from: toDay(first), to: toDay(last), days: days.toReversed(), erased: formatMicros(erased) };
}

function presentOwed(day: number, moved: readonly MovementSum[], owedMicros: bigint) {
  const [sold, voucher, given, refunded, taken, captured] = movements.map((movement) =>
    formatMicros(total(moved.filter(({ kind }) => kind === movement))),
  ) as [string, string, string, string, string, string]; // one sum per movement
  return {
    day: toDay(day),
    ...{ sold, voucher, given, refunded, taken, captured },
    owed: formatMicros(owedMicros),
  };
}

function total(sums: readonly MovementSum[]): bigint {
  return sums.reduce((sum, { changeMicros }) => sum + changeMicros, 0n);
}
