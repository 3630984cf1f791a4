import type { Dialect } from '../dialect.ts';

/** Adds the upstream cost of an image, stored with its job so that past margins do not change with a new estimate. */
export function costs({ int }: Dialect): string[] {
  return [`alter table jobs add column cost_micros ${int} check (cost_micros >= 0)`];
}
