import type { Dialect } from './dialect.ts';

/** The tables that are read by account, and grow with use. */
const tables = ['jobs', 'entries', 'events', 'deliveries', 'batches', 'idempotency_keys', 'audit_log'];
const accounts = 1_000;

/**
 * PostgreSQL would expect any account to be the one that has nearly all rows, and look for the last rows of a small one from the end
 * of the whole table. Told of a thousand accounts, it goes to the rows of the one that is asked for.
 */
export function expectedAccounts({ kind }: Dialect): string[] {
  if (kind === 'sqlite') return [];
  return [
    ...tables.map((table) => `alter table ${table} alter column account_id set (n_distinct = ${accounts})`),
    // Otherwise it would know with the next statistics, which a large table gets after months.
    ...tables.map((table) => `analyze ${table} (account_id)`),
  ];
}
