import type { Dialect } from '../dialect.ts';

// Amounts below this are exact as JavaScript numbers.
const maxMicros = 9_000_000_000_000_000n;

export function initial({ int, uuid, serial, strict, clustered, rejectChange }: Dialect): string[] {
  return [
    `create table settings (name text primary key, value text not null) ${strict}`,

    `create table pauses (
      scope text primary key,
      reason text,
      until ${int},
      created_at ${int} not null
    ) ${strict}`,

    `create table accounts (
      id ${uuid} primary key,
      name text not null unique check (length(name) between 1 and 100),
      balance_micros ${int} not null default 0 check (balance_micros between 0 and ${maxMicros}),
      reserved_micros ${int} not null default 0 check (reserved_micros between 0 and balance_micros),
      created_at ${int} not null
    ) ${strict}`,

    `create table api_keys (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      name text not null,
      hash text not null unique,
      hint text not null,
      models text,
      created_at ${int} not null,
      expires_at ${int},
      disabled_at ${int},
      last_used_at ${int}
    ) ${strict}`,
    'create index api_keys_by_account on api_keys (account_id)',

    `create table jobs (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      key_id ${uuid} not null,
      model text not null,
      mode text not null check (mode in ('text', 'url')),
      prompt text not null,
      requested_ratio text not null,
      aspect_ratio text,
      resolution text not null,
      price_micros ${int} not null check (price_micros between 0 and ${maxMicros}),
      callback_url text,
      idempotency_key text,
      inputs text not null,
      status text not null check (status in ('queued', 'processing', 'done', 'failed')),
      attempt ${int} not null,
      worker text,
      claimable_at ${int} not null,
      failures text not null,
      route text,
      remote_id text,
      created_at ${int} not null,
      started_at ${int},
      finished_at ${int},
      error text,
      error_code text,
      image_key text,
      image_width ${int},
      image_height ${int},
      image_bytes ${int},
      image_sha256 text,
      notes text,
      constraint queued_is_untouched check (
        status <> 'queued' or (attempt = 0 and worker is null and started_at is null and finished_at is null)),
      constraint processing_has_started check (
        status <> 'processing' or (attempt > 0 and started_at is not null and finished_at is null)),
      constraint done_has_image check ((status = 'done') = (image_key is not null) and (status <> 'done' or (
        started_at is not null and aspect_ratio is not null and image_sha256 is not null and image_bytes > 0
        and image_width > 0 and image_height > 0))),
      constraint failed_has_reason check (
        (status = 'failed') = (error is not null) and (status = 'failed') = (error_code is not null)),
      constraint terminal_is_at_rest check (
        status not in ('done', 'failed') or (finished_at is not null and worker is null))
    ) ${clustered}`,
    // The queue's index. It stays small, because rows leave it when jobs end.
    `create index jobs_claimable on jobs (model, account_id, id)
      where worker is null and status in ('queued', 'processing')`,
    'create index jobs_leased on jobs (claimable_at) where worker is not null',
    'create index jobs_by_account on jobs (account_id, id)',

    `create table entries (
      id ${serial},
      account_id ${uuid} not null references accounts (id),
      job_id ${uuid},
      kind text not null check (kind in ('credit', 'reserve', 'capture', 'release')),
      amount_micros ${int} not null check (amount_micros between 0 and ${maxMicros}),
      reason text,
      created_at ${int} not null,
      constraint only_credit_is_without_job check ((kind = 'credit') = (job_id is null))
    ) ${strict}`,
    `create unique index entries_one_reserve on entries (job_id) where kind = 'reserve'`,
    `create unique index entries_one_settlement on entries (job_id) where kind in ('capture', 'release')`,
    'create index entries_by_account on entries (account_id, id)',

    `create table idempotency_keys (
      account_id ${uuid} not null references accounts (id),
      key text not null,
      fingerprint text not null,
      job_id ${uuid},
      holder text,
      held_until ${int},
      created_at ${int} not null,
      primary key (account_id, key),
      constraint held_or_used check ((job_id is null) = (holder is not null) and (holder is null) = (held_until is null))
    ) ${clustered}`,

    `create table events (
      seq ${serial},
      id text not null unique,
      account_id ${uuid} not null references accounts (id),
      job_id ${uuid} not null unique,
      type text not null check (type in ('job.done', 'job.failed')),
      created_at ${int} not null
    ) ${strict}`,
    'create index events_by_account on events (account_id, seq)',

    ...rejectChange('entries', 'update', 'true', 'entries are never changed'),
    ...rejectChange('entries', 'delete', 'true', 'entries are never deleted'),
    ...rejectChange('jobs', 'update', `old.status in ('done', 'failed')`, 'a terminal job never changes'),
    ...rejectChange(
      'jobs',
      'update',
      `new.status <> old.status and not (
        (old.status = 'queued' and new.status in ('processing', 'failed'))
        or (old.status = 'processing' and new.status in ('done', 'failed')))`,
      'no such move between states',
    ),
    ...rejectChange(
      'jobs',
      'update',
      `new.attempt < old.attempt or new.price_micros <> old.price_micros or new.account_id <> old.account_id
        or new.created_at <> old.created_at or (old.started_at is not null and new.started_at <> old.started_at)`,
      'price, account, times and past attempts of a job never change',
    ),
    ...rejectChange(
      'jobs',
      'delete',
      `old.status in ('queued', 'processing')`,
      'a job under way is never deleted',
    ),
  ];
}
