import type { Dialect } from './dialect.ts';

/** Marks attempts whose costs are counted with a job's capture. Not an expansion: older programs would omit them. */
export function costsWithCaptures({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column with_capture ${int}`];
}
