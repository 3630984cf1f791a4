import type { Dialect } from './dialect.ts';

/** When an attempt began, which is when some vendors charge for it; null where its worker did not say. */
export function attemptBeginnings({ int }: Dialect): string[] {
  return [`alter table attempt_costs add column began_at ${int}`];
}
