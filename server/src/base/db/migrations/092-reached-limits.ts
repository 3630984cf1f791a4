import type { Dialect } from './dialect.ts';

/**
 * Adds the period for which an account was told that the limit stopped a job. Older programs would not reset a flag.
 */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
