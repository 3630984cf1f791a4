import type { Dialect } from './dialect.ts';

/** Adds when an attempt began, because some vendors charge for time; null if its worker did not report it. */
export function attemptBeginnings({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column began_at ${int}`];
}
