import type { Dialect } from './dialect.ts';

/** Voucher codes that are worth money, created in batches. Only a code's hash is stored. */
export function vouchers({ int, uuid, strict, clustered }: Dialect): string[] {
  return [
    `create table voucher_batches (
      id ${uuid} primary key,
      name text,
      amount_micros ${int} not null check (amount_micros > 0),
      count ${int} not null,
      uses ${int} not null check (uses > 0),
      created_at ${int} not null,
      expires_at ${int},
      withdrawn_at ${int}
    ) ${strict}`,
    `create table vouchers (
      hash text primary key,
      batch_id ${uuid} not null references voucher_batches (id),
      redeemed ${int} not null default 0
    ) ${clustered}`,
    'create index vouchers_by_batch on vouchers (batch_id, redeemed)',
  ];
}
