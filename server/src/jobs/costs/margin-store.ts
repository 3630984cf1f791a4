import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { columns, costFacts, sums, uncountedCaptures } from './margin-facts-store.ts';

export const marginGroups = ['account', 'key', 'model', 'route', 'provider', 'day', 'month'] as const;
export type MarginGroup = (typeof marginGroups)[number];

export interface MarginSums {
  /** The groups in the order of the request: an id or a name, a day like `2026-11-20`, a month like `2026-11`. */
  groups: string[];
  images: number;
  revenueMicros: bigint;
  /** The known costs of all attempts; `wastedMicros` is the part spent on attempts that delivered no image. */
  costMicros: bigint;
  wastedMicros: bigint;
  /** The number of images with unknown cost. */
  uncosted: number;
  /** The number of attempts that may be billed; `possibleMicros` is their cost in that case. */
  unknown: number;
  possibleMicros: bigint;
}

type Row = Record<string, number | string | bigint>;

/** Sums captures and attempt costs of these days (UTC), in one snapshot with the few not yet in `margins`. */
export async function sumMargins(
  queries: Queries,
  { first, last, by }: { first: number; last: number; by: readonly MarginGroup[] },
): Promise<MarginSums[]> {
  const isMeant = sql`day >= ${first} and day <= ${last}`;
  const groups = by.map(
    (group, index) => sql`${expressions(queries)[group]} as ${sql.ref(`group_${index}`)}`,
  );
  const summed = sums.map((sum) => sql`sum(${sql.ref(sum)}) as ${sql.ref(sum)}`);
  // Sums twice, so that the month is computed once for each day and not for each row.
  const inner = sql.join([...new Set(by.map((group) => columnOf[group]))].map((column) => sql.ref(column)));
  const facts = sql`select * from (
      select ${columns} from margins where ${isMeant}
      union all ${uncountedCaptures()}
      union all ${costFacts(sql`counted <> 1`)}) as facts
    where ${isMeant}`;
  const from =
    by.length > 0
      ? sql`(select ${inner}, ${sql.join(summed)} from (${facts}) as facts group by ${inner}) as facts`
      : sql`(${facts}) as facts`;
  const { rows } = await sql<Row>`select ${sql.join([...groups, ...summed])} from ${from}
    ${by.length > 0 ? sql`group by ${sql.join(by.map((_, index) => sql.lit(index + 1)))}` : sql`having count(*) > 0`}`.execute(
    queries,
  );
  return rows.map((row) => ({
    groups: by.map((_, index) => String(row[`group_${index}`])),
    images: Number(row.images),
    revenueMicros: BigInt(row.revenue_micros ?? 0),
    costMicros: BigInt(row.cost_micros ?? 0),
    wastedMicros: BigInt(row.wasted_micros ?? 0),
    uncosted: Number(row.uncosted),
    unknown: Number(row.unknown),
    possibleMicros: BigInt(row.possible_micros ?? 0),
  }));
}

const columnOf = {
  ...{ account: 'account_id', key: 'key_id', model: 'model', route: 'route', provider: 'provider' },
  ...{ day: 'day', month: 'day' },
} as const;

const daySeconds = 24 * 60 * 60;

function expressions(queries: Queries): Record<MarginGroup, RawBuilder<unknown>> {
  const format = (postgres: string, sqlite: string) =>
    isPostgres(queries)
      ? sql`to_char(to_timestamp(day * ${sql.lit(daySeconds)}) at time zone 'UTC', ${sql.lit(postgres)})`
      : sql`strftime(${sql.lit(sqlite)}, day * ${sql.lit(daySeconds)}, 'unixepoch')`;
  return {
    account: sql`account_id`,
    key: sql`key_id`,
    model: sql`model`,
    route: sql`route`,
    provider: sql`provider`,
    day: format('YYYY-MM-DD', '%Y-%m-%d'),
    month: format('YYYY-MM', '%Y-%m'),
  };
}
