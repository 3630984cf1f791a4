import type { Dialect } from './dialect.ts';

/** Keys of programs that administer Darkroom. Names of enabled keys are unique, because the audit log shows them. */
export function adminKeys({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table admin_keys (
      id ${uuid} primary key,
      name text not null check (length(name) between 1 and 100),
      hash text not null unique,
      hint text not null,
      scopes text not null,
      created_at ${int} not null,
      expires_at ${int},
      disabled_at ${int},
      last_used_at ${int},
      last_used_address text
    ) ${strict}`,
    'create unique index admin_keys_by_name on admin_keys (name) where disabled_at is null',
  ];
}
