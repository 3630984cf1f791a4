import type { Dialect } from './dialect.ts';

/** Adds the period in which the account was notified of a stopped job. Older programs would not clear a mere flag. */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
