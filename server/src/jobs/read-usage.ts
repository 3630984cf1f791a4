import { listKeys } from '../accounts/key-store.ts';
import { panelKeyName } from '../accounts/panel-key.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { formatMicros } from '../ledger/money.ts';
import type { Clock } from '../std/clock.ts';
import { type Bucket, countJobs, sumOf } from './activity-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;
// One quarter. Longer periods can use the CSV of jobs.
export const maxDays = 92;

export interface UsageQuery {
  /** `2026-11-01`, the first day; the last thirty days when left out. */
  from?: string;
  /** The last day, included; today when left out. */
  to?: string;
  by?: 'model' | 'key';
}

/** Cost and number of jobs per day (UTC) of their creation, split by model or key. @throws AppError `invalid_request` */
export async function readUsage(
  deps: { database: Database; clock: Clock; catalogue: Catalogue },
  accountId: string,
  query: UsageQuery,
) {
  const by = query.by ?? 'model';
  const { first, last } = readDays(query, deps.clock.nowMs());
  const range = { accountId, fromMs: first * dayMs, toMs: (last + 1) * dayMs };
  const buckets = await countJobs(deps.database.read, { ...range, slotMs: dayMs, by });
  const names = await namesOf(deps, accountId, by);

  const bySeries = Map.groupBy(buckets, ({ series }) => series);
  const ids = [...bySeries.keys()].sort((one, other) =>
    compare(sumOf(bySeries.get(other)).spentMicros, sumOf(bySeries.get(one)).spentMicros),
  );
  const byDay = Map.groupBy(buckets, ({ slot }) => slot);
  return {
    from: toDay(first),
    to: toDay(last),
    by,
    timezone: 'UTC' as const,
    series: ids.map((id) => {
      const { spentMicros, jobs } = sumOf(bySeries.get(id));
      return {
        id: id === accountId ? panelKeyName : id,
        name: names.get(id) ?? 'Unknown',
        cost: formatMicros(spentMicros),
        jobs,
      };
    }),
    days: Array.from({ length: last - first + 1 }, (_, index) => {
      const ofDay = byDay.get(first + index) ?? [];
      return {
        day: toDay(first + index),
        ...present(ofDay),
        values: ids.map((id) => present(ofDay.filter(({ series }) => series === id))),
      };
    }),
    total: present(buckets),
  };
}

function readDays({ from, to }: UsageQuery, nowMs: number): { first: number; last: number } {
  const last = to === undefined ? Math.floor(nowMs / dayMs) : parseDay('to', to);
  const first = from === undefined ? last - defaultDays + 1 : parseDay('from', from);
  if (first <= last && last - first < maxDays) return { first, last };
  const detail = `must be at most ${maxDays} days before the last day.`;
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
  { database, catalogue }: { database: Database; catalogue: Catalogue },
  accountId: string,
  by: 'model' | 'key',
): Promise<Map<string, string>> {
  if (by === 'model') return new Map(catalogue.list().map(({ id, name }) => [id, name]));
  const keys = await listKeys(database.read, accountId);
  return new Map([...keys.map(({ id, name }) => [id, name] as const), [accountId, 'Panel']]);
}

function present(buckets: readonly Bucket[]) {
  const { spentMicros, ...counts } = sumOf(buckets);
  return { cost: formatMicros(spentMicros), ...counts };
}

function compare(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function toDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
