import type { Dialect } from './dialect.ts';

export function endpoints({ int, uuid, strict, clustered }: Dialect): string[] {
  return [
    `create table endpoints_of_accounts (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      is_default ${int} not null check (is_default in (0, 1)),
      url text not null,
      events text,
      created_at ${int} not null,
      failing_since ${int},
      disabled_at ${int},
      disabled_reason text check (disabled_reason in ('gone', 'failing', 'manual')),
      constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null))
    ) ${strict}`,
    `insert into endpoints_of_accounts
        (id, account_id, is_default, url, created_at, failing_since, disabled_at, disabled_reason)
      select id, account_id, 1, url, created_at, failing_since, disabled_at, disabled_reason from endpoints`,
    'drop table endpoints',
    'alter table endpoints_of_accounts rename to endpoints',
    'create index endpoints_by_account on endpoints (account_id)',
    'create unique index endpoints_one_default on endpoints (account_id) where is_default = 1',

    // The owner is an endpoint, or the account itself, which signs for its default endpoint and `callback_url`s.
    `create table secrets_of_owners (
      secret text primary key,
      owner_id ${uuid} not null,
      created_at ${int} not null,
      expires_at ${int}
    ) ${strict}`,
    `insert into secrets_of_owners (secret, owner_id, created_at, expires_at)
      select secret, account_id, created_at, expires_at from signing_secrets`,
    'drop table signing_secrets',
    'alter table secrets_of_owners rename to signing_secrets',
    'create unique index signing_secrets_one_current on signing_secrets (owner_id) where expires_at is null',
    'create index signing_secrets_by_owner on signing_secrets (owner_id)',

    // Attempts are counted when they are recorded, because counting a million per day and endpoint would be slow.
    `create table endpoint_hours (
      endpoint_id ${uuid} not null,
      hour ${int} not null,
      outcome text not null check (outcome in ('delivered', 'failed')),
      speed ${int} not null,
      attempts ${int} not null,
      primary key (endpoint_id, hour, outcome, speed)
    ) ${clustered}`,
    'create index deliveries_of_endpoint on deliveries (endpoint_id, id) where endpoint_id is not null',
  ];
}
