import type { Dialect } from '../dialect.ts';

export function uploads({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table uploads (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      key text not null,
      media_type text not null,
      width ${int} not null,
      height ${int} not null,
      bytes ${int} not null,
      sha256 text not null,
      created_at ${int} not null,
      expires_at ${int} not null
    ) ${strict}`,
    'create index uploads_by_account on uploads (account_id, expires_at)',
    'create index uploads_by_expiry on uploads (expires_at)',
  ];
}
