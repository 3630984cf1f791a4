import type { Dialect } from './dialect.ts';

/** Captures and attempt costs by day. No foreign keys, because the rows outlive jobs, keys and routes. */
export function margins({ int, uuid, clustered }: Dialect): string[] {
  const sums = ['revenue_micros', 'cost_micros', 'wasted_micros', 'uncosted', 'unknown', 'possible_micros'];
  return [
    `create table margins (
      day ${int} not null,
      account_id ${uuid} not null,
      key_id ${uuid} not null,
      model text not null,
      route text not null,
      provider text not null,
      images ${int} not null,
      ${sums.map((sum) => `${sum} ${int} not null`).join(', ')},
      primary key (day, account_id, key_id, model, route, provider)
    ) ${clustered}`,
    `create table margin_progress (
      account_id ${uuid} primary key,
      entry_id ${int} not null
    ) ${clustered}`,
  ];
}
