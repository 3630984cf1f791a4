import type { Dialect } from './dialect.ts';

/** Adds when an attempt began, for which some vendors charge; null if its worker did not report it. */
export function attemptBeginnings({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column began_at ${int}`];
}
