import type { Dialect } from './dialect.ts';

/** Adds when an operator last began to erase an account, which maintenance then leaves alone for a while. */
export function erasingSince({ int }: Dialect): string[] {
  return [`alter table accounts add column erasing_since ${int}`];
}
