import type { Dialect } from './dialect.ts';

/** Adds the key that replaced a rolled key: it took over the use of limits by jobs that were unfinished then. */
export function rolledKeys({ uuid }: Dialect): string[] {
  return [`alter table api_keys add column rolled_to ${uuid}`];
}
