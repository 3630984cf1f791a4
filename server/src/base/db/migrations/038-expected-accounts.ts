import type { Dialect } from './dialect.ts';

/** The tables that are read by account and grow with use. */
const tables = ['jobs', 'entries', 'events', 'deliveries', 'batches', 'idempotency_keys', 'audit_log'];
const accounts = 1_000;

/** Makes PostgreSQL expect a thousand accounts. Otherwise it searches a whole table for a small account's last rows. */
export function expectedAccounts({ kind }: Dialect): string[] {
  if (kind === 'sqlite') return [];
  return [
    ...tables.map((table) => `alter table ${table} alter column account_id set (n_distinct = ${accounts})`),
    // Analyzes now, because a large table may get its next statistics only after months.
    ...tables.map((table) => `analyze ${table} (account_id)`),
  ];
}
