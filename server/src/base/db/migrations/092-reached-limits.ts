import type { Dialect } from './dialect.ts';

/** Adds the period in which it was reported that a limit had stopped a job. Older programs would not clear a flag. */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
