import { listKeys } from '../accounts/key-store.ts';
import { panelKeyName } from '../accounts/panel-key.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { formatMicros } from '../ledger/money.ts';
import type { Clock } from '../std/clock.ts';
import { quantileOf } from '../std/duration-classes.ts';
import { toIso } from '../std/iso-time.ts';
import { type Bucket, countJobs, sumOf } from './activity-store.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const defaultDays = 30;
// One quarter. Longer periods can use the CSV of jobs.
export const maxDays = 92;
/** Of so few days, every hour is told apart. */
const daysByHour = 3;

export const splits = ['model', 'key', 'resolution', 'status', 'error'] as const;
export type Split = (typeof splits)[number];

export interface Days {
  /** `2026-11-01`, the first day; the last thirty days when left out. */
  from?: string;
  /** The last day, included; today when left out. */
  to?: string;
}

export interface ActivityQuery extends Days {
  by?: Split;
  /** Only jobs of this key. */
  key_id?: string;
}

export interface ActivityDeps {
  database: Database;
  clock: Clock;
  catalogue: Catalogue;
}

/**
 * Cost, number and speed of an account's jobs by the day (UTC) of their creation, or by the hour where days are few, split.
 *
 * @throws AppError `invalid_request`
 */
export async function readActivity(
  deps: ActivityDeps,
  accountId: string,
  { by = 'model', key_id: keyId, ...days }: ActivityQuery,
  { byDay = false }: { byDay?: boolean } = {},
) {
  const { first, last } = readDays(days, deps.clock.nowMs());
  const range = { accountId, fromMs: first * dayMs, toMs: (last + 1) * dayMs };
  const slotMs = byDay || last - first >= daysByHour ? dayMs : hourMs;
  const wanted = { ...range, slotMs, by, keyId, withDurations: !byDay };
  const buckets = await countJobs(deps.database.reports, wanted);
  const names = await namesOf(deps, accountId, by);

  const bySeries = Map.groupBy(buckets, ({ series }) => series);
  const series = [...bySeries]
    .map(([id, own]) => ({ id, own, sum: sumOf(own) }))
    .sort(
      (one, other) => Number(other.sum.spentMicros - one.sum.spentMicros) || other.sum.jobs - one.sum.jobs,
    );
  const bySlot = Map.groupBy(buckets, ({ slot }) => slot);
  const firstSlot = range.fromMs / slotMs;
  return {
    from: toDay(first),
    to: toDay(last),
    by,
    slot: slotMs === dayMs ? ('day' as const) : ('hour' as const),
    series: series.map(({ id, own }) => ({
      id: id === accountId ? panelKeyName : id,
      name: names(id),
      ...present(own),
    })),
    slots: Array.from({ length: range.toMs / slotMs - firstSlot }, (_, index) => {
      const inSlot = bySlot.get(firstSlot + index) ?? [];
      const split = Map.groupBy(inSlot, ({ series }) => series);
      return {
        /** When it began. */
        at: toIso((firstSlot + index) * slotMs),
        ...present(inSlot),
        values: series.map(({ id }) => count(split.get(id) ?? [])),
      };
    }),
    total: present(buckets),
  };
}

function readDays({ from, to }: Days, nowMs: number): { first: number; last: number } {
  const last = to === undefined ? Math.floor(nowMs / dayMs) : parseDay('to', to);
  const first = from === undefined ? last - defaultDays + 1 : parseDay('from', from);
  if (first <= last && last - first < maxDays) return { first, last };
  const detail =
    first > last ? 'must not be after the last day.' : `must be at most ${maxDays} days before the last day.`;
  throw new AppError('invalid_request', `The first day ${detail}`, {
    errors: [{ pointer: '/query/from', detail }],
  });
}

function parseDay(name: string, text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isFinite(ms)) return Math.floor(ms / dayMs);
  const detail = 'must be a day such as 2026-11-20.';
  throw new AppError('invalid_request', `${name} ${detail}`, {
    errors: [{ pointer: `/query/${name}`, detail }],
  });
}

async function namesOf(
  { database, catalogue }: ActivityDeps,
  accountId: string,
  by: Split,
): Promise<(id: string) => string> {
  if (by === 'resolution' || by === 'status' || by === 'error') return (id) => id;
  const known =
    by === 'model'
      ? catalogue.list()
      : [...(await listKeys(database.reports, accountId)), { id: accountId, name: 'Panel' }];
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? 'Unknown';
}

function count(buckets: readonly Bucket[]) {
  const { spentMicros, ...counts } = sumOf(buckets);
  return { cost: formatMicros(spentMicros), ...counts };
}

/** With the time from the create to the picture. */
function present(buckets: readonly Bucket[]) {
  const counted = buckets.flatMap(({ durationClass, jobs }) =>
    durationClass === null ? [] : [{ durationClass, count: jobs }],
  );
  return {
    ...count(buckets),
    p50_ms: quantileOf(counted, 0.5),
    p95_ms: quantileOf(counted, 0.95),
  };
}

function toDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
