import type { Dialect } from '../dialect.ts';

/** better-auth reads and writes people, sessions and sign-ins, with times as ISO 8601 texts and booleans as 0 and 1. */
export function panel({ int, uuid, serial, strict, rejectChange }: Dialect): string[] {
  return [
    `create table people (
      id ${uuid} primary key,
      name text not null,
      email text not null unique,
      email_verified ${int} not null,
      image text,
      has_authenticator ${int} default 0,
      created_at text not null,
      updated_at text not null
    ) ${strict}`,

    `create table sessions (
      id ${uuid} primary key,
      person_id ${uuid} not null references people (id) on delete cascade,
      token text not null unique,
      via text not null check (via in ('password', 'link', 'oidc')),
      ip_address text,
      user_agent text,
      expires_at text not null,
      created_at text not null,
      updated_at text not null
    ) ${strict}`,
    'create index sessions_by_person on sessions (person_id)',

    // How a person signs in: with a password, or as a subject of an identity provider.
    `create table sign_ins (
      id ${uuid} primary key,
      person_id ${uuid} not null references people (id) on delete cascade,
      provider_id text not null,
      subject text not null,
      password text,
      access_token text,
      refresh_token text,
      id_token text,
      access_token_expires_at text,
      refresh_token_expires_at text,
      scope text,
      created_at text not null,
      updated_at text not null,
      unique (provider_id, subject)
    ) ${strict}`,
    'create index sign_ins_by_person on sign_ins (person_id)',

    `create table verifications (
      id ${uuid} primary key,
      identifier text not null,
      value text not null,
      expires_at text not null,
      created_at text not null,
      updated_at text not null
    ) ${strict}`,
    'create index verifications_by_identifier on verifications (identifier)',

    `create table authenticators (
      id ${uuid} primary key,
      person_id ${uuid} not null references people (id) on delete cascade,
      secret text not null,
      backup_codes text not null,
      verified ${int},
      failures ${int},
      locked_until text
    ) ${strict}`,
    'create index authenticators_by_person on authenticators (person_id)',

    `create table operators (
      person_id ${uuid} primary key references people (id) on delete cascade,
      created_at ${int} not null
    ) ${strict}`,

    `create table members (
      account_id ${uuid} not null references accounts (id),
      person_id ${uuid} not null references people (id) on delete cascade,
      created_at ${int} not null,
      primary key (account_id, person_id)
    ) ${strict}`,
    'create index members_by_person on members (person_id)',

    `create table panel_links (
      token_hash text primary key,
      kind text not null check (kind in ('sign_in', 'invitation')),
      person_id ${uuid} references people (id) on delete cascade,
      account_id ${uuid} references accounts (id),
      note text,
      created_at ${int} not null,
      expires_at ${int} not null,
      used_at ${int},
      constraint sign_in_has_person check ((kind = 'sign_in') = (person_id is not null))
    ) ${strict}`,
    'create index panel_links_by_account on panel_links (account_id)',

    `create table sign_in_limits (
      id text primary key,
      busy_until ${int} not null
    ) ${strict}`,
    'create index sign_in_limits_idle on sign_in_limits (busy_until)',

    `create table audit_log (
      id ${serial},
      at ${int} not null,
      person_id ${uuid},
      person_name text not null,
      action text not null,
      account_id ${uuid},
      subject text,
      detail text not null
    ) ${strict}`,
    'create index audit_log_by_account on audit_log (account_id, id)',
    ...rejectChange('audit_log', 'update', 'true', 'the audit log is never changed'),
    ...rejectChange('audit_log', 'delete', 'true', 'the audit log is never shortened'),

    `alter table accounts add column disabled_at ${int}`,
    'alter table accounts add column disabled_reason text',
  ];
}
