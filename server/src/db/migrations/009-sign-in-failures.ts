import type { Dialect } from './dialect.ts';

/** How many sign-ins failed in each minute of the last hour, over all processes, so that many of them can be seen. */
export function signInFailures({ int, strict }: Dialect): string[] {
  return [
    `create table sign_in_failures (
      minute ${int} primary key,
      failures ${int} not null
    ) ${strict}`,
  ];
}
