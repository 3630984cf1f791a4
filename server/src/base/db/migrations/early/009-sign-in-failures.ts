import type { Dialect } from '../dialect.ts';

/** How many sign-ins failed in each minute of the last hour, across all processes, so that a high number is noticed. */
export function signInFailures({ int, strict }: Dialect): string[] {
  return [
    `create table sign_in_failures (
      minute ${int} primary key,
      failures ${int} not null
    ) ${strict}`,
  ];
}
