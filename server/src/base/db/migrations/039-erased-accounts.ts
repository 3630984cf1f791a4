import type { Dialect } from './dialect.ts';

/** Adds when an account's erasure began. From then on, the database refuses to enable, credit or use the account. */
export function erasedAccounts({ kind, int, rejectChange }: Dialect): string[] {
  const id = kind === 'postgres' ? 'id::text' : 'id';
  return [
    `alter table accounts add column erased_at ${int}`,
    `update accounts set erased_at = coalesce(disabled_at, created_at),
        disabled_at = coalesce(disabled_at, created_at), disabled_reason = 'erased'
      where name = 'erased ' || ${id}`,
    ...rejectChange(
      'accounts',
      'update',
      `old.erased_at is not null and (new.erased_at is distinct from old.erased_at
        or new.disabled_at is null
        or new.balance_micros > old.balance_micros
        or new.reserved_micros > old.reserved_micros)`,
      'an erased account never comes back',
    ),
  ];
}
