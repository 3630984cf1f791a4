import type { Dialect } from '../dialect.ts';

export function signInFailures({ int, strict }: Dialect): string[] {
  return [
    `create table sign_in_failures (
      minute ${int} primary key,
      failures ${int} not null
    ) ${strict}`,
  ];
}
