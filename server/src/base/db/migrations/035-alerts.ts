import type { Dialect } from './dialect.ts';

export function alerts({ int }: Dialect): string[] {
  return [
    `alter table accounts add column alert_balance_micros ${int}`,
    `alter table accounts add column alert_spend_percent ${int}`,
    `alter table limits add column told ${int} not null default 0`,
  ];
}
