import type { Dialect } from './dialect.ts';

/** Not an expansion, because an earlier version would change a reversal's state without counting it in `turn`. */
export function reversals({ int }: Dialect): string[] {
  return [
    `alter table payment_reversals add column kind text not null default 'refund' check (kind in ('refund', 'dispute'))`,
    `update payment_reversals set kind = 'dispute' where reference like 'd%'`,
    `alter table payment_reversals add column said_at ${int} not null default 0`,
    `alter table payment_reversals add column turn ${int} not null default 1`,
    // A returned reversal has changed once, so a repeated report of its beginning is not new.
    `update payment_reversals set said_at = now_ms(), turn = 2 where state = 'returned'`,
    'create index accounts_owing on accounts (id) where debt_micros > 0',
  ];
}
