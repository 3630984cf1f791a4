import type { Dialect } from '../dialect.ts';

/** Counts failed sign-ins in each minute of the last hour, across all processes, to notice many of them. */
export function signInFailures({ int, strict }: Dialect): string[] {
  return [
    `create table sign_in_failures (
      minute ${int} primary key,
      failures ${int} not null
    ) ${strict}`,
  ];
}
