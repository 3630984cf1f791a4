import type { Dialect } from './dialect.ts';

/** Adds when an account was warned that a key would expire, or chose an expiry that left no time for a warning. */
export function expiringKeys({ int }: Dialect): string[] {
  return [
    `alter table api_keys add column expiry_told_at ${int}`,
    'create index api_keys_expiring on api_keys (expires_at) where expires_at is not null and expiry_told_at is null',
  ];
}
