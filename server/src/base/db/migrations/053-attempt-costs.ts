import type { Dialect } from './dialect.ts';

/** Attempt costs, which may outlive jobs. `counted` is 0 before the count, 1 with a cost, 2 with an unknown cost. */
export function attemptCosts({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table attempt_costs (
      job_id ${uuid} not null,
      attempt ${int} not null,
      account_id ${uuid} not null,
      key_id ${uuid} not null,
      model text not null,
      route text,
      provider text,
      upstream_model text,
      ended_at ${int} not null,
      billed text not null check (billed in ('billed', 'not_billed', 'unknown')),
      cost_micros ${int} check (cost_micros >= 0),
      possible_micros ${int} check (possible_micros >= 0),
      currency text,
      usage text,
      delivered ${int} not null check (delivered in (0, 1)),
      counted ${int} not null check (counted in (0, 1, 2)),
      primary key (job_id, attempt)
    ) ${clustered}`,
    'create index attempt_costs_by_time on attempt_costs (ended_at)',
    'create index attempt_costs_to_count on attempt_costs (counted) where counted <> 1',
  ];
}
