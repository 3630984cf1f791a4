import type { Dialect } from '../dialect.ts';

/** Adds the time step of the newest code used with an authenticator, so that no code works twice. */
export function secondFactor({ int }: Dialect): string[] {
  return [`alter table authenticators add column last_step ${int}`];
}
