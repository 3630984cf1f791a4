import type { Dialect } from './dialect.ts';

/**
 * Marks attempts whose cost is counted with their job's capture; null for others and those of an earlier version. Not
 * an expansion, because that version would count captures without these costs.
 */
export function costsWithCaptures({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column with_capture ${int}`];
}
