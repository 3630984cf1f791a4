import type { Dialect } from './dialect.ts';

/** Which code of an authenticator was the last, so that none works twice. */
export function secondFactor({ int }: Dialect): string[] {
  return [`alter table authenticators add column last_step ${int}`];
}
