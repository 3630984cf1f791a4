import type { Dialect } from './dialect.ts';

/** When an operator last began to erase an account: maintenance leaves the erasure to them for a while. */
export function erasingSince({ int }: Dialect): string[] {
  return [`alter table accounts add column erasing_since ${int}`];
}
