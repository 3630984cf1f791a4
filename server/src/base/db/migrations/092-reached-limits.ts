import type { Dialect } from './dialect.ts';

/**
 * In which hour, day or month the account was told that a limit stopped a job: not a flag, because an older program begins a new one
 * without taking it back.
 */
export function reachedLimits({ int }: Dialect): string[] {
  return [`alter table limits add column reached_told ${int}`];
}
