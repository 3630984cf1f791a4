import type { Dialect } from './dialect.ts';

/**
 * Adds the balance and the share of a spend limit at which an account is alerted, and which alerts were sent
 * for each limit.
 */
export function alerts({ int }: Dialect): string[] {
  return [
    `alter table accounts add column alert_balance_micros ${int}`,
    `alter table accounts add column alert_spend_percent ${int}`,
    `alter table limits add column told ${int} not null default 0`,
  ];
}
