import type { Dialect } from './dialect.ts';

/**
 * What the paths that every job takes need, and no more. Rows that come with every job are written under the lock of
 * their account's row, and accounts are never deleted: that says what their foreign keys said, which PostgreSQL checks
 * with a query for each row, a third of what a create costs it.
 */
export function hotPaths({ kind, rejectChange }: Dialect): string[] {
  const tables = kind === 'postgres' ? ['jobs', 'entries', 'idempotency_keys', 'events'] : [];
  return [
    'create index idempotency_keys_held on idempotency_keys (held_until) where held_until is not null',
    ...rejectChange('accounts', 'delete', 'true', 'accounts are never deleted'),
    ...tables.map((table) => `alter table ${table} drop constraint ${table}_account_id_fkey`),
  ];
}
