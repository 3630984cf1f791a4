import type { Dialect } from './dialect.ts';

/**
 * Marks attempts whose cost is counted with their job's capture. Null for all others, including those
 * recorded by an earlier version. Not an expansion: that version would count captures without these costs.
 */
export function costsWithCaptures({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column with_capture ${int}`];
}
