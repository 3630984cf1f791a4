import type { Dialect } from './dialect.ts';

/** The beginning of an attempt, for which some vendors charge; null if its worker did not report it. */
export function attemptBeginnings({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column began_at ${int}`];
}
