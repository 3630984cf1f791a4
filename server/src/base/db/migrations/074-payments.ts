import type { Dialect } from './dialect.ts';

/** Payments by a provider, their reversals, and debts: the reversals that a balance did not cover. */
export function payments({ int, uuid, serial, strict, clustered }: Dialect): string[] {
  return [
    `create table payments (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      provider text not null,
      state text not null check (state in ('open', 'paid', 'failed', 'unclaimed')),
      amount_micros ${int} not null check (amount_micros > 0),
      reference text,
      charged_minor ${int},
      reversed_micros ${int} not null default 0,
      created_at ${int} not null,
      paid_at ${int}
    ) ${strict}`,
    'create index payments_by_account on payments (account_id, id)',
    'create unique index payments_by_reference on payments (reference) where reference is not null',
    `create table payment_reversals (
      reference text primary key,
      payment_id ${uuid} not null references payments (id),
      minor ${int} not null,
      state text not null check (state in ('taken', 'returned'))
    ) ${clustered}`,
    'create index payment_reversals_by_payment on payment_reversals (payment_id)',
    `create table debts (
      id ${serial},
      account_id ${uuid} not null references accounts (id),
      reason text not null,
      corrects ${int},
      amount_micros ${int} not null check (amount_micros > 0),
      left_micros ${int} not null check (left_micros >= 0),
      created_at ${int} not null
    ) ${strict}`,
    'create index debts_by_account on debts (account_id, id)',
    `alter table accounts add column debt_micros ${int} not null default 0 check (debt_micros >= 0)`,
  ];
}
