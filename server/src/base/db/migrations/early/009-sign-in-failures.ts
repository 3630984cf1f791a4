import type { Dialect } from '../dialect.ts';

/**
 * How many sign-ins failed in each minute of the last hour, across all processes, to detect when there are
 * many.
 */
export function signInFailures({ int, strict }: Dialect): string[] {
  return [
    `create table sign_in_failures (
      minute ${int} primary key,
      failures ${int} not null
    ) ${strict}`,
  ];
}
