import type { Dialect } from '../dialect.ts';

/**
 * An index and fewer constraints for the statements of every job. Foreign keys to accounts add nothing, because a job's
 * rows are written under its account's lock, and accounts are never deleted. PostgreSQL checked them with a query per
 * row, a third of a create.
 */
export function hotPaths({ kind, rejectChange }: Dialect): string[] {
  const tables = kind === 'postgres' ? ['jobs', 'entries', 'idempotency_keys', 'events'] : [];
  return [
    'create index idempotency_keys_held on idempotency_keys (held_until) where held_until is not null',
    ...rejectChange('accounts', 'delete', 'true', 'accounts are never deleted'),
    ...tables.map((table) => `alter table ${table} drop constraint ${table}_account_id_fkey`),
  ];
}
