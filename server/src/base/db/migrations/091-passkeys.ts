import type { Dialect } from './dialect.ts';

/** Passkeys, and which of them opened a session. To older programs, a password seems to have opened such a session. */
export function passkeys({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table passkeys (
      id ${uuid} primary key,
      person_id ${uuid} not null references people (id) on delete cascade,
      name text not null,
      credential_id text not null unique,
      public_key text not null,
      uses ${int} not null,
      created_at ${int} not null,
      used_at ${int}
    ) ${strict}`,
    'create index passkeys_by_person on passkeys (person_id)',
    `alter table sessions add column passkey_id ${uuid} references passkeys (id) on delete cascade`,
    'create index sessions_by_passkey on sessions (passkey_id) where passkey_id is not null',
  ];
}
