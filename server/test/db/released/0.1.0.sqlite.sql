-- The schema of 0.1.0. Never changed.
create table migrations (version integer primary key, name text not null, applied_at integer not null, fingerprint text) strict;
create table settings (name text primary key, value text not null) strict;
create table pauses (
  scope text primary key,
  reason text,
  until integer,
  created_at integer not null
  ) strict;
create table accounts (
  id text primary key,
  name text not null unique check (length(name) between 1 and 100),
  balance_micros integer not null default 0 check (balance_micros between 0 and 9000000000000000),
  reserved_micros integer not null default 0 check (reserved_micros between 0 and balance_micros),
  created_at integer not null
  ) strict;
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  hash text not null unique,
  hint text not null,
  models text,
  created_at integer not null,
  expires_at integer,
  disabled_at integer,
  last_used_at integer
  ) strict;
create index api_keys_by_account on api_keys (account_id);
create table jobs (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text not null,
  model text not null,
  mode text not null check (mode in ('text', 'url')),
  prompt text not null,
  requested_ratio text not null,
  aspect_ratio text,
  resolution text not null,
  price_micros integer not null check (price_micros between 0 and 9000000000000000),
  callback_url text,
  idempotency_key text,
  inputs text not null,
  status text not null check (status in ('queued', 'processing', 'done', 'failed')),
  attempt integer not null,
  worker text,
  claimable_at integer not null,
  failures text not null,
  route text,
  remote_id text,
  created_at integer not null,
  started_at integer,
  finished_at integer,
  error text,
  error_code text,
  image_key text,
  image_width integer,
  image_height integer,
  image_bytes integer,
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
  ) strict, without rowid;
create index jobs_claimable on jobs (model, account_id, id)
  where worker is null and status in ('queued', 'processing');
create index jobs_leased on jobs (claimable_at) where worker is not null;
create index jobs_by_account on jobs (account_id, id);
create table entries (
  id integer primary key autoincrement,
  account_id text not null references accounts (id),
  job_id text,
  kind text not null check (kind in ('credit', 'reserve', 'capture', 'release')),
  amount_micros integer not null check (amount_micros between 0 and 9000000000000000),
  reason text,
  created_at integer not null,
  constraint only_credit_is_without_job check ((kind = 'credit') = (job_id is null))
  ) strict;
create unique index entries_one_reserve on entries (job_id) where kind = 'reserve';
create unique index entries_one_settlement on entries (job_id) where kind in ('capture', 'release');
create index entries_by_account on entries (account_id, id);
create table idempotency_keys (
  account_id text not null references accounts (id),
  key text not null,
  fingerprint text not null,
  job_id text,
  holder text,
  held_until integer,
  created_at integer not null,
  primary key (account_id, key),
  constraint held_or_used check ((job_id is null) = (holder is not null) and (holder is null) = (held_until is null))
  ) strict, without rowid;
create table events (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id text not null references accounts (id),
  job_id text not null unique,
  type text not null check (type in ('job.done', 'job.failed')),
  created_at integer not null
  ) strict;
create index events_by_account on events (account_id, seq);
create trigger "entries: entries are never changed" before update on entries when true
  begin select raise(abort, 'entries: entries are never changed'); end;
create trigger "entries: entries are never deleted" before delete on entries when true
  begin select raise(abort, 'entries: entries are never deleted'); end;
create trigger "jobs: a terminal job never changes" before update on jobs when old.status in ('done', 'failed')
  begin select raise(abort, 'jobs: a terminal job never changes'); end;
create trigger "jobs: no such move between states" before update on jobs when new.status <> old.status and not (
  (old.status = 'queued' and new.status in ('processing', 'failed'))
  or (old.status = 'processing' and new.status in ('done', 'failed')))
  begin select raise(abort, 'jobs: no such move between states'); end;
create trigger "jobs: price, account, times and past attempts of a job never change" before update on jobs when new.attempt < old.attempt or new.price_micros <> old.price_micros or new.account_id <> old.account_id
  or new.created_at <> old.created_at or (old.started_at is not null and new.started_at <> old.started_at)
  begin select raise(abort, 'jobs: price, account, times and past attempts of a job never change'); end;
create trigger "jobs: a job under way is never deleted" before delete on jobs when old.status in ('queued', 'processing')
  begin select raise(abort, 'jobs: a job under way is never deleted'); end;
insert into migrations values (1, 'initial', 1760000000000, '58d4767dba803e84');
create table endpoints (
  account_id text primary key references accounts (id),
  id text not null unique,
  url text not null,
  created_at integer not null,
  failing_since integer,
  disabled_at integer,
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null))
  ) strict;
create table signing_secrets (
  secret text primary key,
  account_id text not null references accounts (id),
  created_at integer not null,
  expires_at integer
  ) strict;
create unique index signing_secrets_one_current on signing_secrets (account_id) where expires_at is null;
create index signing_secrets_by_account on signing_secrets (account_id);
create table deliveries (
  id integer primary key autoincrement,
  event_id text not null references events (id),
  account_id text not null references accounts (id),
  endpoint_id text,
  url text not null,
  lane text not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  attempt integer not null,
  worker text,
  claimable_at integer not null,
  failure text,
  created_at integer not null,
  ended_at integer,
  constraint pending_has_no_end check ((status = 'pending') = (ended_at is null)),
  constraint only_pending_is_leased check (status = 'pending' or worker is null),
  constraint ended_badly_for_a_reason check (status not in ('failed', 'cancelled') or failure is not null),
  constraint delivered_has_no_failure check (status <> 'delivered' or failure is null)
  ) strict;
create index deliveries_claimable on deliveries (lane, claimable_at) where worker is null and status = 'pending';
create index deliveries_leased on deliveries (claimable_at) where worker is not null;
create index deliveries_pending_by_endpoint on deliveries (endpoint_id) where status = 'pending';
create index deliveries_by_account on deliveries (account_id, id);
create index deliveries_by_event on deliveries (event_id);
create table delivery_attempts (
  delivery_id integer not null references deliveries (id) on delete cascade,
  attempt integer not null,
  at integer not null,
  duration_ms integer not null,
  status integer,
  failure text,
  answer text,
  primary key (delivery_id, attempt),
  constraint failed_unless_2xx check (failure is not null or (status is not null and status between 200 and 299))
  ) strict;
create trigger "deliveries: an ended delivery never changes" before update on deliveries when old.status <> 'pending'
  begin select raise(abort, 'deliveries: an ended delivery never changes'); end;
create trigger "deliveries: past attempts of a delivery never change" before update on deliveries when new.attempt < old.attempt
  begin select raise(abort, 'deliveries: past attempts of a delivery never change'); end;
insert into migrations values (2, 'webhooks', 1760000000000, 'fe27bad2495e4e66');
create table people (
  id text primary key,
  name text not null,
  email text not null unique,
  email_verified integer not null,
  image text,
  has_authenticator integer default 0,
  created_at text not null,
  updated_at text not null
  ) strict;
create table sessions (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
  token text not null unique,
  via text not null check (via in ('password', 'link', 'oidc')),
  ip_address text,
  user_agent text,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
  ) strict;
create index sessions_by_person on sessions (person_id);
create table sign_ins (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
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
  ) strict;
create index sign_ins_by_person on sign_ins (person_id);
create table verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
  ) strict;
create index verifications_by_identifier on verifications (identifier);
create table authenticators (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified integer,
  failures integer,
  locked_until text
  ) strict;
create index authenticators_by_person on authenticators (person_id);
create table operators (
  person_id text primary key references people (id) on delete cascade,
  created_at integer not null
  ) strict;
create table members (
  account_id text not null references accounts (id),
  person_id text not null references people (id) on delete cascade,
  created_at integer not null,
  primary key (account_id, person_id)
  ) strict;
create index members_by_person on members (person_id);
create table panel_links (
  token_hash text primary key,
  kind text not null check (kind in ('sign_in', 'invitation')),
  person_id text references people (id) on delete cascade,
  account_id text references accounts (id),
  note text,
  created_at integer not null,
  expires_at integer not null,
  used_at integer,
  constraint sign_in_has_person check ((kind = 'sign_in') = (person_id is not null))
  ) strict;
create index panel_links_by_account on panel_links (account_id);
create table sign_in_limits (
  id text primary key,
  busy_until integer not null
  ) strict;
create index sign_in_limits_idle on sign_in_limits (busy_until);
create table audit_log (
  id integer primary key autoincrement,
  at integer not null,
  person_id text,
  person_name text not null,
  action text not null,
  account_id text,
  subject text,
  detail text not null
  ) strict;
create index audit_log_by_account on audit_log (account_id, id);
create trigger "audit_log: the audit log is never changed" before update on audit_log when true
  begin select raise(abort, 'audit_log: the audit log is never changed'); end;
create trigger "audit_log: the audit log is never shortened" before delete on audit_log when true
  begin select raise(abort, 'audit_log: the audit log is never shortened'); end;
alter table accounts add column disabled_at integer;
alter table accounts add column disabled_reason text;
insert into migrations values (3, 'panel', 1760000000000, '85111a095e08585d');
create table route_health (
  route text primary key,
  state text not null check (state in ('open', 'rate_limited', 'rejected')),
  until integer not null,
  failures integer not null check (failures > 0),
  reason text not null,
  detail text,
  changed_at integer not null
  ) strict;
create table route_paces (
  route text primary key,
  busy_until integer not null
  ) strict;
insert into migrations values (4, 'routes', 1760000000000, '18b11c59dfdf931c');
create index idempotency_keys_held on idempotency_keys (held_until) where held_until is not null;
create trigger "accounts: accounts are never deleted" before delete on accounts when true
  begin select raise(abort, 'accounts: accounts are never deleted'); end;
insert into migrations values (5, 'hot paths', 1760000000000, '06c50df5b562e31d');
alter table authenticators add column last_step integer;
insert into migrations values (6, 'second factor', 1760000000000, 'df3afe6ab458ccf4');
create index audit_log_by_person on audit_log (person_id, action, id);
insert into migrations values (7, 'audit by person', 1760000000000, '2b374a6c9f888cc9');
alter table audit_log add column address text;
insert into migrations values (8, 'audit address', 1760000000000, '6ce8052c18d341fe');
create table sign_in_failures (
  minute integer primary key,
  failures integer not null
  ) strict;
insert into migrations values (9, 'sign-in failures', 1760000000000, 'a7f09ff8af1bff5d');
create table credit_keys (
  account_id text not null references accounts (id),
  key text not null,
  amount_micros integer not null,
  reason text not null,
  primary key (account_id, key)
  ) strict, without rowid;
insert into migrations values (10, 'credit keys', 1760000000000, 'e5f7deeb47b9a38d');
alter table jobs add column request_id text;
create table workers (
  worker text primary key,
  slots integer not null,
  seen_at integer not null
  ) strict;
insert into migrations values (11, 'tracing', 1760000000000, '47b2fccb64d66aed');
alter table panel_links add column made_by text references people (id) on delete cascade;
update panel_links set expires_at = now_ms()
  where kind = 'invitation' and used_at is null and expires_at > now_ms();
create index panel_links_by_maker on panel_links (made_by);
insert into migrations values (12, 'invitations', 1760000000000, 'f69eadbe68c8d489');
