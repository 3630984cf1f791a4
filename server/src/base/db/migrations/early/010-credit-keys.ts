import type { Dialect } from '../dialect.ts';

/** Credits with an `Idempotency-Key`. They are few, and kept for ever, like their entries. */
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
