import type { Dialect } from './dialect.ts';

/** The tables that are read by account, and grow with use. */
const tables = ['jobs', 'entries', 'events', 'deliveries', 'batches', 'idempotency_keys', 'audit_log'];
const accounts = 1_000;

/**
 * PostgreSQL would expect any account to have nearly all rows, and search a small account's last rows from the end of
 * the whole table. With a thousand accounts as the estimate, it reads the account's own rows.
 */
export function expectedAccounts({ kind }: Dialect): string[] {
  if (kind === 'sqlite') return [];
  return [
    ...tables.map((table) => `alter table ${table} alter column account_id set (n_distinct = ${accounts})`),
    // Analyzes now: a large table gets its next statistics after months.
    ...tables.map((table) => `analyze ${table} (account_id)`),
  ];
}
