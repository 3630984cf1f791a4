import type { Dialect } from './dialect.ts';

/** The period in which the account was notified of a stopped job. Older programs would never clear a flag. */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
