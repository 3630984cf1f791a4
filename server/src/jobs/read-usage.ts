import { listKeys } from '../accounts/key-store.ts';
import { panelKeyName } from '../accounts/panel-key.ts';
import type { Database } from '../base/db/database.ts';
import type { Clock } from '../base/std/clock.ts';
import { quantileOf } from '../base/std/duration-classes.ts';
import { toIso } from '../base/std/iso-time.ts';
import { formatMicros } from '../money/ledger/money.ts';
import type { Catalogue } from '../upstream/catalog/catalogue.ts';
import { type Bucket, countJobs, sumOf } from './activity-store.ts';
import { assertKnownFilters } from './known-filters.ts';
import { type Days, dayMs, readDays, toDay } from './read-days.ts';

const hourMs = 60 * 60 * 1000;
// The longest range in days, one quarter. The CSV of jobs covers longer ranges.
export const maxDays = 92;
/** The number of days up to which reports show every hour. */
const daysByHour = 3;

export const splits = ['model', 'key', 'resolution', 'status', 'error'] as const;
export type Split = (typeof splits)[number];

export interface UsageQuery extends Days {
  group_by?: Split;
  key_id?: string;
  /** `times` adds how long images took and, for ranges of up to three days, the figures of each hour. */
  include?: 'times';
}

export interface UsageDeps {
  database: Database;
  clock: Clock;
  catalogue: Catalogue;
}

/** Reads the cost and number of jobs, split by day (UTC) and a chosen field. @throws AppError `invalid_request` */
export async function readUsage(
  deps: UsageDeps,
  accountId: string,
  { group_by: by = 'model', key_id: keyId, include, ...days }: UsageQuery,
) {
  await assertKnownFilters(deps.database.read, deps.catalogue, { accountId, ...(keyId && { keyId }) });
  const { first, last } = readDays(days, { nowMs: deps.clock.nowMs(), maxDays });
  const range = { accountId, fromMs: first * dayMs, toMs: (last + 1) * dayMs };
  const withTimes = include !== undefined;
  const slotMs = withTimes && last - first < daysByHour ? hourMs : dayMs;
  const wanted = { ...range, slotMs, by, keyId, withDurations: withTimes };
  const buckets = await countJobs(deps.database.reports, wanted);
  const names = await namesOf(deps, accountId, by);
  const present = (own: readonly Bucket[]) => ({ ...count(own), ...(withTimes && timesOf(own)) });
  const series = [...Map.groupBy(buckets, (bucket) => bucket.series)]
    .map(([id, own]) => ({ id, own, sum: sumOf(own) }))
    .sort(
      (one, other) => Number(other.sum.spentMicros - one.sum.spentMicros) || other.sum.jobs - one.sum.jobs,
    );
  const perSlot = (ms: number) => {
    const bySlot = Map.groupBy(buckets, ({ slot }) => Math.floor((slot * slotMs) / ms));
    const firstSlot = range.fromMs / ms;
    return Array.from({ length: range.toMs / ms - firstSlot }, (_, index) => {
      const own = bySlot.get(firstSlot + index) ?? [];
      const split = Map.groupBy(own, (bucket) => bucket.series);
      const values = series.map(({ id }) => count(split.get(id) ?? []));
      return { at: toIso((firstSlot + index) * ms), ...present(own), values };
    });
  };
  return {
    from: toDay(first),
    to: toDay(last),
    group_by: by,
    timezone: 'UTC' as const,
    series: series.map(({ id, own }) => {
      const { done, failed, ...shown } = present(own);
      const shownId = id === accountId ? panelKeyName : id;
      return { id: shownId, name: names(id), ...shown, ...(withTimes && { done, failed }) };
    }),
    days: perSlot(dayMs).map(({ at, ...day }) => ({ day: at.slice(0, 10), ...day })),
    ...(slotMs === hourMs && { hours: perSlot(hourMs).map(({ at, ...hour }) => ({ hour: at, ...hour })) }),
    total: present(buckets),
  };
}

async function namesOf(
  { database, catalogue }: UsageDeps,
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

function timesOf(buckets: readonly Bucket[]) {
  const counted = buckets.flatMap(({ durationClass, jobs }) =>
    durationClass === null ? [] : [{ durationClass, count: jobs }],
  );
  return { p50_ms: quantileOf(counted, 0.5), p95_ms: quantileOf(counted, 0.95) };
}
