import { type RawBuilder, sql } from 'kysely';

const dayMs = 24 * 60 * 60_000;
// Stands for the unknown key of a job that was removed before costs were recorded.
const nobody = '00000000-0000-0000-0000-000000000000';

/** The columns by which margins are split and those that are summed, in the order of the table `margins`. */
export const splits = ['day', 'account_id', 'key_id', 'model', 'route', 'provider'] as const;
export const sums = [
  ...(['images', 'revenue_micros', 'cost_micros', 'wasted_micros'] as const),
  ...(['uncosted', 'unknown', 'possible_micros'] as const),
];

export const columns = sql.raw([...splits, ...sums].join(', '));

/**
 * Selects captures as rows of `margins`. Includes the cost of the attempt that made the image, if that cost was final
 * at the capture. Jobs older than `attempt_costs` have the cost in their own row.
 */
export function captureFacts(from: RawBuilder<unknown>, which: RawBuilder<unknown>): RawBuilder<unknown> {
  const ofJob = (column: string) => sql`(select ${sql.ref(column)} from jobs where jobs.id = entries.job_id)`;
  const cost = sql`case when made.job_id is null then ${ofJob('cost_micros')}
    when made.with_capture is null then 0 when made.currency is null then made.cost_micros end`;
  return sql`select day, account_id, key_id, model, route, provider, 1 as images, revenue_micros,
      coalesce(cost, 0) as cost_micros, 0 as wasted_micros, case when cost is null then 1 else 0 end as uncosted,
      0 as unknown, 0 as possible_micros
    from (select entries.created_at / ${sql.lit(dayMs)} as day, entries.account_id,
        coalesce(made.key_id, ${ofJob('key_id')}, ${nobody}) as key_id,
        coalesce(entries.model, ${ofJob('model')}, '') as model,
        coalesce(made.route, ${ofJob('route')}, '') as route, coalesce(made.provider, '') as provider,
        entries.amount_micros as revenue_micros, ${cost} as cost
      from ${from}
      left join attempt_costs as made on made.job_id = entries.job_id and made.delivered = 1
      where entries.kind = 'capture' and ${which}) as captures`;
}

/** Selects uncounted captures as rows of `margins`: the few entries after each account's recorded position. */
export function uncountedCaptures(): RawBuilder<unknown> {
  const uncounted = sql`accounts left join margin_progress on margin_progress.account_id = accounts.id
    join entries on entries.account_id = accounts.id and entries.id > coalesce(margin_progress.entry_id, 0)`;
  return captureFacts(uncounted, sql`true`);
}

/**
 * Selects attempts as rows of `margins`, except those counted with a capture. Once an attempt's cost is known,
 * subtracts what was counted for it as `unknown`.
 */
export function costFacts(which: RawBuilder<unknown>): RawBuilder<unknown> {
  const isBilled = sql`billed = 'billed' and currency is null`;
  const known = sql`case when ${isBilled} then coalesce(cost_micros, 0) else 0 end`;
  const ifUnknown = (value: RawBuilder<unknown>) =>
    sql`(case when billed = 'unknown' then ${value} else 0 end - case when counted = 2 then ${value} else 0 end)`;
  return sql`select ended_at / ${sql.lit(dayMs)} as day, account_id, key_id, model, coalesce(route, '') as route,
      coalesce(provider, '') as provider, 0 as images, 0 as revenue_micros, ${known} as cost_micros,
      case when delivered = 1 then 0 else ${known} end as wasted_micros,
      case when delivered = 1 and (currency is not null or cost_micros is null) then 1 else 0 end as uncosted,
      ${ifUnknown(sql`1`)} as unknown, ${ifUnknown(sql`coalesce(possible_micros, 0)`)} as possible_micros
    from attempt_costs where ${which}`;
}
