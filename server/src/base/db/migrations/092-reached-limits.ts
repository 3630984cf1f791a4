import type { Dialect } from './dialect.ts';

/** Adds the period in which the account was notified that a limit stopped a job. Older programs never clear a flag. */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
