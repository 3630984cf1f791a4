import type { Dialect } from './dialect.ts';

/**
 * The hour, day or month in which a limit stopped a job and the account was notified. Not a flag, because older
 * programs would not clear it when a new period begins.
 */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
