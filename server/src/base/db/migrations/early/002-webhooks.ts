import type { Dialect } from '../dialect.ts';

export function webhooks({ int, uuid, serial, strict, rejectChange }: Dialect): string[] {
  return [
    // One endpoint per account. A replacement gets a new `id`, which separates its deliveries from the old endpoint's.
    `create table endpoints (
      account_id ${uuid} primary key references accounts (id),
      id ${uuid} not null unique,
      url text not null,
      created_at ${int} not null,
      failing_since ${int},
      disabled_at ${int},
      disabled_reason text check (disabled_reason in ('gone', 'failing')),
      constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null))
    ) ${strict}`,

    // The secrets are sealed instead of hashed, because they sign every delivery.
    `create table signing_secrets (
      secret text primary key,
      account_id ${uuid} not null references accounts (id),
      created_at ${int} not null,
      expires_at ${int}
    ) ${strict}`,
    'create unique index signing_secrets_one_current on signing_secrets (account_id) where expires_at is null',
    'create index signing_secrets_by_account on signing_secrets (account_id)',

    // `lane` is account and host. Deliveries of one lane are claimed in order, and lanes do not wait for each other.
    `create table deliveries (
      id ${serial},
      event_id text not null references events (id),
      account_id ${uuid} not null references accounts (id),
      endpoint_id ${uuid},
      url text not null,
      lane text not null,
      status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
      attempt ${int} not null,
      worker text,
      claimable_at ${int} not null,
      failure text,
      created_at ${int} not null,
      ended_at ${int},
      constraint pending_has_no_end check ((status = 'pending') = (ended_at is null)),
      constraint only_pending_is_leased check (status = 'pending' or worker is null),
      constraint ended_badly_for_a_reason check (status not in ('failed', 'cancelled') or failure is not null),
      constraint delivered_has_no_failure check (status <> 'delivered' or failure is null)
    ) ${strict}`,
    `create index deliveries_claimable on deliveries (lane, claimable_at) where worker is null and status = 'pending'`,
    'create index deliveries_leased on deliveries (claimable_at) where worker is not null',
    `create index deliveries_pending_by_endpoint on deliveries (endpoint_id) where status = 'pending'`,
    'create index deliveries_by_account on deliveries (account_id, id)',
    'create index deliveries_by_event on deliveries (event_id)',

    `create table delivery_attempts (
      delivery_id ${int} not null references deliveries (id) on delete cascade,
      attempt ${int} not null,
      at ${int} not null,
      duration_ms ${int} not null,
      status ${int},
      failure text,
      answer text,
      primary key (delivery_id, attempt),
      constraint failed_unless_2xx check (failure is not null or (status is not null and status between 200 and 299))
    ) ${strict}`,

    ...rejectChange('deliveries', 'update', `old.status <> 'pending'`, 'an ended delivery never changes'),
    ...rejectChange(
      'deliveries',
      'update',
      'new.attempt < old.attempt',
      'past attempts of a delivery never change',
    ),
  ];
}
