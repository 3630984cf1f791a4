import type { Dialect } from './dialect.ts';

export function topUps({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table payment_cards (
      id text primary key,
      account_id ${uuid} not null references accounts (id),
      customer text not null,
      brand text not null,
      last4 text not null,
      ends text not null,
      gone_at ${int}
    ) ${strict}`,
    'create index payment_cards_by_account on payment_cards (account_id)',
    `create table top_ups (
      account_id ${uuid} primary key references accounts (id),
      state text not null check (state in ('off', 'on', 'stopped')),
      stopped_by text,
      card text references payment_cards (id),
      customer text,
      threshold_micros ${int} check (threshold_micros > 0),
      amount_micros ${int} check (amount_micros > 0),
      month_micros ${int} check (month_micros >= amount_micros),
      page_opened_at ${int},
      check (state <> 'on' or (card is not null and month_micros is not null and threshold_micros is not null))
    ) ${strict}`,
    `create index top_ups_on on top_ups (account_id) where state = 'on'`,
    'alter table payments add column card text',
    `alter table payments add column asked_at ${int}`,
    `create index payments_by_card on payments (account_id, created_at) where card is not null`,
    `create index payments_asked on payments (asked_at) where state = 'open' and card is not null`,
    `alter table payment_reversals add column is_over ${int} not null default 0`,
  ];
}
