import type { Dialect } from '../dialect.ts';

/** Credits that had an `Idempotency-Key`. There are few, and they are kept for ever, like their entries. */
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
