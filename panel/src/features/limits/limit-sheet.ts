import type { LimitRow, Limits } from '@darkroom/server/panel-contract';

/** Every possible limit, set or not, in the order of the forms. */
export function sheetOf({ data, unset }: Limits): LimitRow[] {
  const rows = [...data, ...unset.map((limit) => ({ ...limit, ...notSet }))];
  return rows.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.limit.localeCompare(other.limit, 'en'),
  );
}

const notSet = { most: null, is_lifted: false, is_default: false, used: null, resets_at: null };

const units: readonly LimitRow['unit'][] = ['money', 'jobs', 'bytes', 'requests'];
const times: readonly LimitRow['per'][] = ['second', 'minute', 'hour', 'day', 'month', null];

function rankOf({ unit, per }: LimitRow): number {
  return units.indexOf(unit) * times.length + times.indexOf(per);
}
