import type { Dialect } from './dialect.ts';

/**
 * Adds the period for which an account was told that the limit had stopped a job. A flag would need clearing each
 * period, which older programs would not do.
 */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
