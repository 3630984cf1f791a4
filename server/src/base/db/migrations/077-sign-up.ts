import type { Dialect } from './dialect.ts';

export function signUp({ int, uuid, strict, clustered }: Dialect): string[] {
  return [
    `create table outgoing_emails (
      id ${uuid} primary key,
      kind text not null,
      email text not null,
      person_id ${uuid} references people (id) on delete cascade,
      attempt ${int} not null default 0,
      claimable_at ${int} not null,
      created_at ${int} not null
    ) ${strict}`,
    'create index outgoing_emails_claimable on outgoing_emails (claimable_at)',
    `create table address_links (
      token_hash text primary key,
      purpose text not null check (purpose in ('sign_up', 'password_reset')),
      email text not null,
      person_id ${uuid} references people (id) on delete cascade,
      expires_at ${int} not null,
      constraint reset_has_person check ((purpose = 'password_reset') = (person_id is not null))
    ) ${strict}`,
    'create index address_links_by_email on address_links (email)',
    'create index address_links_by_expiry on address_links (expires_at)',
    `create table acceptances (
      person_id ${uuid} not null references people (id) on delete cascade,
      document text not null check (document in ('terms', 'privacy')),
      version text not null,
      accepted_at ${int} not null,
      primary key (person_id, document, version)
    ) ${clustered}`,
    // This table outlives people and accounts, so it contains only a slow hash of each address.
    `create table free_credits (address_hash text primary key, given_at ${int} not null) ${clustered}`,
  ];
}
