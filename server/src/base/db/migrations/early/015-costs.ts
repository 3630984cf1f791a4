import type { Dialect } from '../dialect.ts';

/**
 * Adds the upstream cost of an image, which is stored with its job, so that past margins do not change when
 * an estimate changes.
 */
export function costs({ int }: Dialect): string[] {
  return [`alter table jobs add column cost_micros ${int} check (cost_micros >= 0)`];
}
