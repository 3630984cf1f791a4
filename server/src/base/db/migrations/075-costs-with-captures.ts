import type { Dialect } from './dialect.ts';

/** Marks attempts counted with their job's capture. Not an expansion: older programs would leave their costs out. */
export function costsWithCaptures({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column with_capture ${int}`];
}
