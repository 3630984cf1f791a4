import type { Dialect } from './dialect.ts';

/**
 * Attempts whose cost is counted with the capture of their job, and not by itself. Null of all others, also of those that an earlier
 * version of this program noted. It does not only add: that version would count captures without these costs.
 */
export function costsWithCaptures({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column with_capture ${int}`];
}
