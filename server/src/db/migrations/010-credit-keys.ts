import type { Dialect } from './dialect.ts';

/** Which credits were asked for under an `Idempotency-Key`: they are few and stay for ever, as their entries do. */
export function creditKeys({ uuid, int, clustered }: Dialect): string[] {
  return [
    `create table credit_keys (
      account_id ${uuid} not null references accounts (id),
      key text not null,
      amount_micros ${int} not null,
      reason text not null,
      primary key (account_id, key)
    ) ${clustered}`,
  ];
}
