import { readNames } from '../accounts/names-store.ts';
import type { Database } from '../base/db/database.ts';
import { readNow } from '../base/db/rows.ts';
import { formatMicros } from '../money/ledger/money.ts';
import { type MarginGroup, type MarginSums, sumMargins } from './costs/margin-store.ts';
import { type Days, readDays, toDay } from './read-days.ts';

/** The longest range, two years, so that years can be compared. */
export const maxMarginDays = 732;

export interface MarginQuery extends Days {
  /** One or more of `marginGroups`, separated by commas. Default: `model`. */
  group_by?: string;
}

export interface Margins {
  from: string;
  to: string;
  by: MarginGroup[];
  rows: Margin[];
  total: MarginFigures;
}

export type Margin = ReturnType<typeof presentMargin>;
export type MarginFigures = ReturnType<typeof figuresOf>;

/** Reads margins, the captured amounts less the cost of attempts, by days in UTC. @throws AppError `invalid_request` */
export async function readMargins(
  { reports }: Pick<Database, 'reports'>,
  query: MarginQuery,
): Promise<Margins> {
  const { first, last } = readDays(query, { nowMs: await readNow(reports), maxDays: maxMarginDays });
  const by = [...new Set((query.group_by ?? 'model').split(','))] as MarginGroup[]; // the query's pattern guarantees it
  const sums = await sumMargins(reports, { first, last, by });
  const names = await namesOf({ reports }, by, sums);
  return {
    from: toDay(first),
    to: toDay(last),
    by,
    rows: sums.toSorted(inOrder).map((one) => presentMargin(one, by, names)),
    total: figuresOf(sums),
  };
}

function inOrder(one: MarginSums, other: MarginSums): number {
  const [a = '', b = ''] = [one.groups.find(isTime), other.groups.find(isTime)];
  if (a !== b) return a < b ? 1 : -1;
  const [high, low] = [other.revenueMicros - other.costMicros, one.revenueMicros - one.costMicros];
  return Number(other.revenueMicros - one.revenueMicros) || Number(high - low);
}

function isTime(group: string): boolean {
  return /^\d{4}-\d\d(-\d\d)?$/.test(group);
}

const inFieldOrder = ['month', 'day', 'account', 'key', 'model', 'route', 'provider'] as const;

type Names = Record<'account' | 'key', Map<string, string>>;

function presentMargin(sums: MarginSums, by: readonly MarginGroup[], names: Names) {
  const [month, day, account, key, model, route, provider] = inFieldOrder.map(
    (group) => sums.groups[by.indexOf(group)],
  );
  const { images, revenue, cost, margin, ...more } = figuresOf([sums]);
  return {
    ...(month !== undefined && { month }),
    ...(day !== undefined && { day }),
    ...(account !== undefined && { account_id: account, account: names.account.get(account) ?? null }),
    ...(key !== undefined && { key_id: key, key: names.key.get(key) ?? null }),
    ...(model !== undefined && { model }),
    ...(route !== undefined && { route }),
    ...(provider !== undefined && { provider }),
    ...{ images, revenue, cost, margin, ...more },
  };
}

function figuresOf(rows: readonly MarginSums[]) {
  const count = (name: 'images' | 'uncosted' | 'unknown') => rows.reduce((sum, row) => sum + row[name], 0);
  const sum = (name: 'revenueMicros' | 'costMicros' | 'wastedMicros' | 'possibleMicros') =>
    rows.reduce((total, row) => total + row[name], 0n);
  const [images, uncosted, cost, revenue] = [
    count('images'),
    count('uncosted'),
    sum('costMicros'),
    sum('revenueMicros'),
  ];
  // Hides a margin without a known cost, because it would equal the revenue.
  const isKnown = cost > 0n || uncosted < images || images === 0;
  return {
    images,
    revenue: formatMicros(revenue),
    cost: isKnown ? formatMicros(cost) : null,
    cost_without_revenue: formatMicros(sum('wastedMicros')),
    margin: isKnown ? formatMicros(revenue - cost) : null,
    images_without_cost: uncosted,
    unknown_attempts: count('unknown'),
    possible_cost: formatMicros(sum('possibleMicros')),
  };
}

async function namesOf(
  { reports }: Pick<Database, 'reports'>,
  by: readonly MarginGroup[],
  sums: readonly MarginSums[],
): Promise<Names> {
  const idsOf = (group: MarginGroup) =>
    by.includes(group) ? [...new Set(sums.map(({ groups }) => groups[by.indexOf(group)] ?? ''))] : [];
  const [account, key] = await Promise.all([
    readNames(reports, 'accounts', idsOf('account')),
    readNames(reports, 'api_keys', idsOf('key')),
  ]);
  return { account, key };
}
