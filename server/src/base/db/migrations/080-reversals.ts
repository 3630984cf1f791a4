import type { Dialect } from './dialect.ts';

/**
 * When the provider said what a refund or dispute is, how often that changed, and which of the two it is; and who owes, to be listed.
 * It does not only add: an earlier version would change a state without counting its turn.
 */
export function reversals({ int }: Dialect): string[] {
  return [
    `alter table payment_reversals add column kind text not null default 'refund' check (kind in ('refund', 'dispute'))`,
    `update payment_reversals set kind = 'dispute' where reference like 'd%'`,
    `alter table payment_reversals add column said_at ${int} not null default 0`,
    `alter table payment_reversals add column turn ${int} not null default 1`,
    // Its beginning comes again, and is not new. What ends one that is taken is, however long ago it was said.
    `update payment_reversals set said_at = now_ms(), turn = 2 where state = 'returned'`,
    'create index accounts_owing on accounts (id) where debt_micros > 0',
  ];
}
