import type { Dialect } from '../dialect.ts';

/** Public links to images. */
export function shares({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table shares (
      token text primary key,
      account_id ${uuid} not null references accounts (id),
      job_ids text not null,
      with_prompts ${int} not null check (with_prompts in (0, 1)),
      made_by text not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      revoked_at ${int}
    ) ${strict}`,
    'create index shares_by_account on shares (account_id, created_at)',
  ];
}
