-- The schema on SQLite, as the migrations leave it. PostgreSQL's differs in types, and has no foreign keys
-- from the tables that are written with every job to accounts.

CREATE TABLE acceptances (
  person_id text not null references people (id) on delete cascade,
  document text not null check (document in ('terms', 'privacy')),
  version text not null,
  accepted_at integer not null,
  primary key (person_id, document, version)
) strict, without rowid;

CREATE TRIGGER "accounts: accounts are never deleted" before delete on accounts when true
  begin select raise(abort, 'accounts: accounts are never deleted'); end;

CREATE TRIGGER "accounts: an erased account never comes back" before update on accounts when old.erased_at is not null and (new.erased_at is distinct from old.erased_at
    or new.disabled_at is null
    or new.balance_micros > old.balance_micros
    or new.reserved_micros > old.reserved_micros)
  begin select raise(abort, 'accounts: an erased account never comes back'); end;

CREATE TABLE accounts (
  id text primary key,
  name text not null unique check (length(name) between 1 and 100),
  balance_micros integer not null default 0 check (balance_micros between 0 and 9000000000000000),
  reserved_micros integer not null default 0 check (reserved_micros between 0 and balance_micros),
  created_at integer not null
    , disabled_at integer, disabled_reason text, alert_balance_micros integer, alert_spend_percent integer, erased_at integer, price_group text, debt_micros integer not null default 0 check (debt_micros >= 0), erasing_since integer) strict;

CREATE INDEX accounts_by_price_group on accounts (price_group) where price_group is not null;

CREATE INDEX accounts_owing on accounts (id) where debt_micros > 0;

CREATE TABLE activity (
  account_id text not null,
  slot_ms integer not null check (slot_ms in (3600000, 86400000)),
  slot integer not null,
  model text not null,
  key_id text not null,
  resolution text not null,
  status text not null check (status in ('done', 'failed')),
  error_code text not null,
  duration_class integer not null,
  jobs integer not null check (jobs > 0),
  price_micros integer not null check (price_micros >= 0),
  primary key (account_id, slot_ms, slot, model, key_id, resolution, status, error_code, duration_class)
) strict, without rowid;

CREATE INDEX activity_by_slot on activity (slot_ms, slot);

CREATE TABLE activity_progress (
  account_id text primary key,
  entry_id integer not null
) strict, without rowid;

CREATE TABLE address_links (
  token_hash text primary key,
  purpose text not null check (purpose in ('sign_up', 'password_reset')),
  email text not null,
  person_id text references people (id) on delete cascade,
  expires_at integer not null,
  constraint reset_has_person check ((purpose = 'password_reset') = (person_id is not null))
) strict;

CREATE INDEX address_links_by_email on address_links (email);

CREATE INDEX address_links_by_expiry on address_links (expires_at);

CREATE TABLE admin_keys (
  id text primary key,
  name text not null check (length(name) between 1 and 100),
  hash text not null unique,
  hint text not null,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  disabled_at integer,
  last_used_at integer,
  last_used_address text
    , networks text) strict;

CREATE UNIQUE INDEX admin_keys_by_name on admin_keys (name) where disabled_at is null;

CREATE TABLE album_images (
  album_id text not null,
  position integer not null,
  job_id text not null,
  account_id text not null,
  primary key (album_id, position)
) strict, without rowid;

CREATE INDEX album_images_by_account on album_images (account_id, job_id);

CREATE INDEX album_images_by_job on album_images (job_id);

CREATE TABLE albums (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  created_at integer not null
) strict, without rowid;

CREATE INDEX albums_by_account on albums (account_id, id);

CREATE TABLE api_keys (
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
    , networks text, last_used_address text, expiry_told_at integer, rolled_to text) strict;

CREATE INDEX api_keys_by_account on api_keys (account_id);

CREATE INDEX api_keys_expiring on api_keys (expires_at) where expires_at is not null and expiry_told_at is null;

CREATE TABLE attempt_costs (
  job_id text not null,
  attempt integer not null,
  account_id text not null,
  key_id text not null,
  model text not null,
  route text,
  provider text,
  upstream_model text,
  ended_at integer not null,
  billed text not null check (billed in ('billed', 'not_billed', 'unknown')),
  cost_micros integer check (cost_micros >= 0),
  possible_micros integer check (possible_micros >= 0),
  currency text,
  usage text,
  delivered integer not null check (delivered in (0, 1)),
  counted integer not null check (counted in (0, 1, 2)), began_at integer, with_capture integer,
  primary key (job_id, attempt)
) strict, without rowid;

CREATE INDEX attempt_costs_by_time on attempt_costs (ended_at);

CREATE INDEX attempt_costs_to_count on attempt_costs (counted) where counted <> 1;

CREATE TRIGGER "audit_log: the audit log is never changed" before update on audit_log when (new.id, new.at, new.person_id, new.action, new.account_id, new.subject) is distinct from (old.id, old.at, old.person_id, old.action, old.account_id, old.subject)
    or (new.detail <> old.detail and new.detail <> '{}')
    or (new.address is distinct from old.address and new.address is not null)
    or (new.person_name <> old.person_name and new.person_name <> 'erased')
  begin select raise(abort, 'audit_log: the audit log is never changed'); end;

CREATE TRIGGER "audit_log: the audit log of the last thirty days is never shortened" before delete on audit_log when old.at > unixepoch() * 1000 - 2592000000
  begin select raise(abort, 'audit_log: the audit log of the last thirty days is never shortened'); end;

CREATE TABLE audit_log (
  id integer primary key autoincrement,
  at integer not null,
  person_id text,
  person_name text not null,
  action text not null,
  account_id text,
  subject text,
  detail text not null
    , address text, actor_kind text) strict;

CREATE INDEX audit_log_by_account on audit_log (account_id, id);

CREATE INDEX audit_log_by_person on audit_log (person_id, action, id);

CREATE TABLE authenticators (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified integer,
  failures integer,
  locked_until text
    , last_step integer) strict;

CREATE INDEX authenticators_by_person on authenticators (person_id);

CREATE TABLE batch_files (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  bytes integer not null,
  created_at integer not null
) strict;

CREATE INDEX batch_files_by_account on batch_files (account_id, id);

CREATE TABLE batch_sources (
  batch_id text primary key references batches (id) on delete cascade,
  file_id text not null,
  call text not null,
  metadata text,
  answers text not null
) strict;

CREATE TABLE batches (
  id text primary key,
  account_id text not null references accounts (id),
  jobs integer not null check (jobs > 0),
  done integer not null default 0 check (done >= 0),
  failed integer not null default 0 check (failed >= 0),
  price_micros integer not null check (price_micros >= 0),
  charged_micros integer not null default 0 check (charged_micros between 0 and price_micros),
  created_at integer not null,
  cancelled_at integer,
  finished_at integer, callback_url text, name text,
  constraint no_more_ends_than_jobs check (done + failed <= jobs),
  constraint finished_with_its_last_job check ((finished_at is not null) = (done + failed = jobs))
) strict;

CREATE INDEX batches_by_account on batches (account_id, id);

CREATE INDEX batches_cancelling on batches (id) where cancelled_at is not null and finished_at is null;

CREATE TABLE client_tokens (
  id text primary key,
  key_id text not null references api_keys (id),
  hash text not null unique,
  models text,
  origin text,
  created_at integer not null,
  expires_at integer not null
) strict;

CREATE INDEX client_tokens_by_key on client_tokens (key_id);

CREATE TABLE connections (
  name text primary key,
  provider text not null,
  base_url text,
  credential text,
  created_at integer not null,
  changed_at integer not null,
  changed_by text not null
) strict;

CREATE TABLE credit_keys (
  account_id text not null references accounts (id),
  key text not null,
  amount_micros integer not null,
  reason text not null,
  primary key (account_id, key)
) strict, without rowid;

CREATE TABLE debts (
  id integer primary key autoincrement,
  account_id text not null references accounts (id),
  reason text not null,
  corrects integer,
  amount_micros integer not null check (amount_micros > 0),
  left_micros integer not null check (left_micros >= 0),
  created_at integer not null
) strict;

CREATE INDEX debts_by_account on debts (account_id, id);

CREATE TRIGGER "deliveries: an ended delivery never changes" before update on deliveries when old.status <> 'pending'
  begin select raise(abort, 'deliveries: an ended delivery never changes'); end;

CREATE TRIGGER "deliveries: past attempts of a delivery never change" before update on deliveries when new.attempt < old.attempt
  begin select raise(abort, 'deliveries: past attempts of a delivery never change'); end;

CREATE TABLE deliveries (
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

CREATE INDEX deliveries_by_account on deliveries (account_id, id);

CREATE INDEX deliveries_by_event on deliveries (event_id);

CREATE INDEX deliveries_claimable on deliveries (lane, claimable_at) where worker is null and status = 'pending';

CREATE INDEX deliveries_leased on deliveries (claimable_at) where worker is not null;

CREATE INDEX deliveries_of_endpoint on deliveries (endpoint_id, id) where endpoint_id is not null;

CREATE INDEX deliveries_pending_by_endpoint on deliveries (endpoint_id) where status = 'pending';

CREATE TABLE delivery_attempts (
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

CREATE TABLE duplicates (
  job_id text primary key,
  account_id text not null
) strict, without rowid;

CREATE INDEX duplicates_by_account on duplicates (account_id, job_id);

CREATE TABLE email_opt_outs (
  person_id text not null references people (id) on delete cascade,
  topic text not null,
  since integer not null,
  primary key (person_id, topic)
) strict, without rowid;

CREATE TABLE endpoint_hours (
  endpoint_id text not null,
  hour integer not null,
  outcome text not null check (outcome in ('delivered', 'failed')),
  speed integer not null,
  attempts integer not null,
  primary key (endpoint_id, hour, outcome, speed)
) strict, without rowid;

CREATE TABLE "endpoints" (
  id text primary key,
  account_id text not null references accounts (id),
  is_default integer not null check (is_default in (0, 1)),
  url text not null,
  events text,
  created_at integer not null,
  failing_since integer,
  disabled_at integer,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'manual')),
  constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null))
) strict;

CREATE INDEX endpoints_by_account on endpoints (account_id);

CREATE UNIQUE INDEX endpoints_one_default on endpoints (account_id) where is_default = 1;

CREATE TRIGGER "entries: entries are never changed" before update on entries when true
  begin select raise(abort, 'entries: entries are never changed'); end;

CREATE TRIGGER "entries: entries are never deleted" before delete on entries when true
  begin select raise(abort, 'entries: entries are never deleted'); end;

CREATE TABLE "entries" (
  id integer primary key autoincrement,
  account_id text not null references accounts (id),
  job_id text,
  kind text not null check (kind in ('credit', 'debit', 'reserve', 'capture', 'release')),
  amount_micros integer not null check (amount_micros between 0 and 9000000000000000),
  reason text,
  created_at integer not null,
  model text,
  reference text,
  corrects integer,
  constraint entries_of_jobs check ((kind in ('credit', 'debit')) = (job_id is null)),
  constraint debits_correct check (corrects is null or kind = 'debit')
) strict;

CREATE INDEX entries_by_account on entries (account_id, id);

CREATE UNIQUE INDEX entries_by_reference on entries (account_id, reference) where reference is not null;

CREATE INDEX entries_of_operators on entries (created_at) where job_id is null;

CREATE UNIQUE INDEX entries_one_reserve on entries (job_id) where kind = 'reserve';

CREATE UNIQUE INDEX entries_one_settlement on entries (job_id) where kind in ('capture', 'release');

CREATE TABLE events (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id text not null references accounts (id),
  job_id text not null unique,
  created_at integer not null
    , type text not null default '', data text constraint events_of_jobs check ((data is null) = (type in ('job.done', 'job.failed')))) strict;

CREATE INDEX events_by_account on events (account_id, seq);

CREATE INDEX events_of_no_job on events (account_id, created_at) where data is not null;

CREATE TABLE free_credits (address_hash text primary key, given_at integer not null) strict, without rowid;

CREATE INDEX free_credits_by_time on free_credits (given_at);

CREATE TABLE idempotency_keys (
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

CREATE INDEX idempotency_keys_held on idempotency_keys (held_until) where held_until is not null;

CREATE TABLE image_removals (key text primary key, requested_at integer not null) strict;

CREATE INDEX image_removals_by_time on image_removals (requested_at);

CREATE TABLE imprints (
  job_id text primary key,
  account_id text not null,
  band_0 integer not null, band_1 integer not null, band_2 integer not null, band_3 integer not null,
  fine text not null
) strict, without rowid;

CREATE INDEX imprints_by_band_0 on imprints (band_0);

CREATE INDEX imprints_by_band_1 on imprints (band_1);

CREATE INDEX imprints_by_band_2 on imprints (band_2);

CREATE INDEX imprints_by_band_3 on imprints (band_3);

CREATE INDEX imprints_by_look on imprints (account_id, fine);

CREATE TABLE incidents (
  id text primary key,
  scope text not null,
  reason text,
  began_at integer not null,
  until integer,
  ended_at integer,
  changed_at integer not null
) strict;

CREATE INDEX incidents_by_time on incidents (began_at);

CREATE TABLE job_metadata (
  account_id text not null,
  key text not null,
  value text not null,
  job_id text not null,
  primary key (account_id, key, value, job_id)
) strict, without rowid;

CREATE INDEX job_metadata_by_job on job_metadata (job_id);

CREATE TABLE job_stars (
  account_id text not null,
  job_id text not null,
  primary key (account_id, job_id)
) strict, without rowid;

CREATE INDEX job_stars_by_job on job_stars (job_id);

CREATE TABLE job_tags (
  account_id text not null,
  tag text not null,
  job_id text not null,
  primary key (account_id, tag, job_id)
) strict, without rowid;

CREATE INDEX job_tags_by_job on job_tags (job_id);

CREATE VIRTUAL TABLE job_words using fts5 (
  words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.'"
);

CREATE TABLE 'job_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'job_words_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'job_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'job_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TRIGGER "jobs: a job under way is never deleted" before delete on jobs when old.status in ('queued', 'processing')
  begin select raise(abort, 'jobs: a job under way is never deleted'); end;

CREATE TRIGGER "jobs: a terminal job never changes" before update on jobs when old.status in ('done', 'failed') and ((new.id, new.account_id, new.key_id, new.client_token_id, new.model, new.model_version, new.mode, new.requested_ratio, new.aspect_ratio, new.resolution, new.price_micros, new.cost_micros, new.callback_url, new.idempotency_key, new.status, new.attempt, new.worker, new.claimable_at, new.route, new.remote_id, new.created_at, new.started_at, new.finished_at, new.error, new.error_code, new.image_key, new.image_width, new.image_height, new.image_bytes, new.image_sha256, new.request_id, new.metadata, new.origin_job_id, new.origin_kind) is distinct from (old.id, old.account_id, old.key_id, old.client_token_id, old.model, old.model_version, old.mode, old.requested_ratio, old.aspect_ratio, old.resolution, old.price_micros, old.cost_micros, old.callback_url, old.idempotency_key, old.status, old.attempt, old.worker, old.claimable_at, old.route, old.remote_id, old.created_at, old.started_at, old.finished_at, old.error, old.error_code, old.image_key, old.image_width, old.image_height, old.image_bytes, old.image_sha256, old.request_id, old.metadata, old.origin_job_id, old.origin_kind) or (new.prompt is distinct from old.prompt and new.prompt is distinct from '') or (new.inputs is distinct from old.inputs and new.inputs is distinct from '[]') or (new.failures is distinct from old.failures and new.failures is distinct from '[]') or (new.notes is distinct from old.notes and new.notes is distinct from null) or (new.parameters is distinct from old.parameters and new.parameters is distinct from null) or (old.image_deleted_at is not null and (new.image_deleted_at) is distinct from (old.image_deleted_at)))
  begin select raise(abort, 'jobs: a terminal job never changes'); end;

CREATE TRIGGER "jobs: no such move between states" before update on jobs when new.status <> old.status and not (
    (old.status = 'queued' and new.status in ('processing', 'failed'))
    or (old.status = 'processing' and new.status in ('done', 'failed')))
  begin select raise(abort, 'jobs: no such move between states'); end;

CREATE TRIGGER "jobs: price, account, times and past attempts of a job never change" before update on jobs when new.attempt < old.attempt or new.price_micros <> old.price_micros or new.account_id <> old.account_id
    or new.created_at <> old.created_at or (old.started_at is not null and new.started_at <> old.started_at)
  begin select raise(abort, 'jobs: price, account, times and past attempts of a job never change'); end;

CREATE TABLE jobs (
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
  notes text, request_id text, model_version integer, parameters text, cost_micros integer check (cost_micros >= 0), client_token_id text, thumbhash text, colours text, image_deleted_at integer constraint only_ended_jobs_lose_images check (
  image_deleted_at is null or (status in ('done', 'failed') and prompt = '' and inputs = '[]' and failures = '[]'
    and notes is null and parameters is null and thumbhash is null and colours is null)), metadata text, origin_job_id text, origin_kind text check (origin_kind in ('input', 'again', 'edit')), deadline_at integer, batch_id text, batch_index integer, output text,
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

CREATE INDEX jobs_by_account on jobs (account_id, id, model, key_id, resolution);

CREATE INDEX jobs_by_batch on jobs (batch_id, batch_index) where batch_id is not null;

CREATE INDEX jobs_by_colours on jobs (account_id, id, colours) where colours is not null;

CREATE INDEX jobs_by_deadline on jobs (deadline_at) where deadline_at is not null and status in ('queued', 'processing');

CREATE INDEX jobs_by_origin on jobs (origin_job_id, id) where origin_job_id is not null;

CREATE INDEX jobs_claimable on jobs (model, account_id, id)
  where worker is null and status in ('queued', 'processing');

CREATE INDEX jobs_done on jobs (account_id, id, model, key_id, resolution) where status = 'done';

CREATE INDEX jobs_failed on jobs (account_id, id, model, key_id, resolution) where status = 'failed';

CREATE INDEX jobs_leased on jobs (claimable_at) where worker is not null;

CREATE INDEX jobs_of_batch_under_way on jobs (batch_id, status, batch_index) where batch_id is not null and status in ('queued', 'processing');

CREATE TABLE kept_answers (
  id text primary key,
  fingerprint text not null,
  answer text,
  created_at integer not null
) strict;

CREATE INDEX kept_answers_by_age on kept_answers (created_at);

CREATE TABLE kept_images (
  account_id text not null,
  job_id text not null,
  primary key (account_id, job_id)
) strict, without rowid;

CREATE INDEX kept_images_by_job on kept_images (job_id);

CREATE TABLE "limits" (
  subject_id text not null,
  subject text not null check (subject in ('account', 'key', 'client_token')),
  meter text not null check (meter in
    ('hour', 'day', 'month', 'total', 'open', 'waiting', 'running', 'input', 'second', 'minute')),
  most integer check (most between 0 and 9007199254740991),
  is_default integer not null check (is_default in (0, 1)),
  used integer not null check (used >= 0),
  starts_at integer not null, told integer not null default 0, reached_told integer,
  primary key (subject_id, meter)
) strict, without rowid;

CREATE INDEX limits_of_running on limits (subject_id) where meter = 'running';

CREATE TABLE margin_progress (
  account_id text primary key,
  entry_id integer not null
) strict, without rowid;

CREATE TABLE margins (
  day integer not null,
  account_id text not null,
  key_id text not null,
  model text not null,
  route text not null,
  provider text not null,
  images integer not null,
  revenue_micros integer not null, cost_micros integer not null, wasted_micros integer not null, uncosted integer not null, unknown integer not null, possible_micros integer not null,
  primary key (day, account_id, key_id, model, route, provider)
) strict, without rowid;

CREATE INDEX margins_by_account on margins (account_id);

CREATE TABLE members (
  account_id text not null references accounts (id),
  person_id text not null references people (id) on delete cascade,
  created_at integer not null, role text not null default 'owner' check (role in ('owner', 'developer', 'billing', 'viewer')),
  primary key (account_id, person_id)
) strict;

CREATE INDEX members_by_person on members (person_id);

CREATE TABLE migrations (
    version integer primary key, name text not null, applied_at integer not null, fingerprint text, is_expansion integer) strict;

CREATE TRIGGER "model_versions: versions are only added" before update on model_versions when true
  begin select raise(abort, 'model_versions: versions are only added'); end;

CREATE TABLE model_versions (
  model text not null,
  version integer not null,
  definition text,
  source text not null check (source in ('specified', 'file', 'operator')),
  author_id text,
  author_name text not null,
  created_at integer not null,
  primary key (model, version)
) strict;

CREATE TABLE operators (
  person_id text primary key references people (id) on delete cascade,
  created_at integer not null
    , role text not null default 'admin' check (role in ('admin', 'support'))) strict;

CREATE TABLE outgoing_emails (
  id text primary key,
  kind text not null,
  email text not null,
  person_id text references people (id) on delete cascade,
  attempt integer not null default 0,
  claimable_at integer not null,
  created_at integer not null
    , data text, language text) strict;

CREATE INDEX outgoing_emails_claimable on outgoing_emails (claimable_at);

CREATE TABLE own_rates (
  provider text not null,
  model text not null,
  version integer not null,
  rates text,
  author_id text,
  author_name text not null,
  created_at integer not null,
  primary key (provider, model, version)
) strict, without rowid;

CREATE TABLE panel_links (
  token_hash text primary key,
  kind text not null check (kind in ('sign_in', 'invitation')),
  person_id text references people (id) on delete cascade,
  account_id text references accounts (id),
  note text,
  created_at integer not null,
  expires_at integer not null,
  used_at integer, made_by text references people (id) on delete cascade, role text check (role in ('owner', 'developer', 'billing', 'viewer', 'admin', 'support')),
  constraint sign_in_has_person check ((kind = 'sign_in') = (person_id is not null))
) strict;

CREATE INDEX panel_links_by_account on panel_links (account_id);

CREATE INDEX panel_links_by_maker on panel_links (made_by);

CREATE TABLE passkeys (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
  name text not null,
  credential_id text not null unique,
  public_key text not null,
  uses integer not null,
  created_at integer not null,
  used_at integer
) strict;

CREATE INDEX passkeys_by_person on passkeys (person_id);

CREATE TABLE pauses (
  scope text primary key,
  reason text,
  until integer,
  created_at integer not null
) strict;

CREATE TABLE payment_cards (
  id text primary key,
  account_id text not null references accounts (id),
  customer text not null,
  brand text not null,
  last4 text not null,
  ends text not null,
  gone_at integer
    , saved_at integer not null default 0) strict;

CREATE INDEX payment_cards_by_account on payment_cards (account_id);

CREATE TABLE payment_reversals (
  reference text primary key,
  payment_id text not null references payments (id),
  minor integer not null,
  state text not null check (state in ('taken', 'returned'))
    , kind text not null default 'refund' check (kind in ('refund', 'dispute')), said_at integer not null default 0, turn integer not null default 1, is_over integer not null default 0) strict, without rowid;

CREATE INDEX payment_reversals_by_payment on payment_reversals (payment_id);

CREATE TABLE payments (
  id text primary key,
  account_id text not null references accounts (id),
  provider text not null,
  state text not null check (state in ('open', 'paid', 'failed', 'unclaimed')),
  amount_micros integer not null check (amount_micros > 0),
  reference text,
  charged_minor integer,
  reversed_micros integer not null default 0,
  created_at integer not null,
  paid_at integer
    , card text, asked_at integer) strict;

CREATE INDEX payments_asked on payments (asked_at) where state = 'open' and card is not null;

CREATE INDEX payments_by_account on payments (account_id, id);

CREATE INDEX payments_by_card on payments (account_id, created_at) where card is not null;

CREATE UNIQUE INDEX payments_by_reference on payments (reference) where reference is not null;

CREATE TABLE people (
  id text primary key,
  name text not null,
  email text not null unique,
  email_verified integer not null,
  image text,
  has_authenticator integer default 0,
  created_at text not null,
  updated_at text not null
    , claimed_email text, language text, browser_language text) strict;

CREATE INDEX people_by_claimed_email on people (claimed_email) where claimed_email is not null;

CREATE TABLE price_group_versions (
  group_id text not null,
  version integer not null,
  definition text,
  author_id text,
  author_name text not null,
  created_at integer not null,
  primary key (group_id, version)
) strict, without rowid;

CREATE TABLE price_groups (id text primary key) strict;

CREATE TABLE processes (
  process text primary key,
  role text not null,
  version text not null,
  started_at integer not null,
  seen_at integer not null
) strict;

CREATE TABLE rates (
  id text primary key,
  micros integer not null,
  burst integer not null,
  per_second integer not null,
  asked integer not null,
  at integer not null
) strict, without rowid;

CREATE TABLE refusals (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text not null,
  job_id text,
  stage text not null,
  reason text,
  prompt text,
  at integer not null,
  struck integer not null default 0
) strict, without rowid;

CREATE INDEX refusals_by_account on refusals (account_id, at);

CREATE INDEX refusals_by_time on refusals (at);

CREATE TABLE reports (
  id text primary key,
  account_id text not null references accounts (id),
  job_id text not null,
  reason text not null,
  contact text,
  address text not null,
  created_at integer not null,
  taken_down_at integer,
  evidence_key text,
  evidence text,
  resolved_at integer,
  resolved_by text
) strict, without rowid;

CREATE INDEX reports_by_account on reports (account_id);

CREATE INDEX reports_open on reports (job_id) where resolved_at is null;

CREATE INDEX reports_resolved on reports (resolved_at) where resolved_at is not null;

CREATE TABLE retention_progress (
  account_id text not null,
  part text not null,
  through_id text not null,
  primary key (account_id, part)
) strict, without rowid;

CREATE TABLE retentions (
  account_id text not null,
  part text not null,
  days integer not null check (days > 0),
  primary key (account_id, part)
) strict, without rowid;

CREATE TABLE route_health (
  route text primary key,
  state text not null check (state in ('open', 'rate_limited', 'rejected')),
  until integer not null,
  failures integer not null check (failures > 0),
  reason text not null,
  detail text,
  changed_at integer not null
) strict;

CREATE TABLE route_paces (
  route text primary key,
  busy_until integer not null
) strict;

CREATE TABLE sessions (
  id text primary key,
  person_id text not null references people (id) on delete cascade,
  token text not null unique,
  via text not null check (via in ('password', 'link', 'oidc')),
  ip_address text,
  user_agent text,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
    , passkey_id text references passkeys (id) on delete cascade) strict;

CREATE INDEX sessions_by_passkey on sessions (passkey_id) where passkey_id is not null;

CREATE INDEX sessions_by_person on sessions (person_id);

CREATE TABLE settings (name text primary key, value text not null) strict;

CREATE TABLE shares (
  token text primary key,
  account_id text not null references accounts (id),
  job_ids text not null,
  with_prompts integer not null check (with_prompts in (0, 1)),
  made_by text not null,
  created_at integer not null,
  expires_at integer not null,
  revoked_at integer
    , album_id text, made_by_id text) strict;

CREATE INDEX shares_by_account on shares (account_id, created_at);

CREATE INDEX shares_by_maker on shares (made_by_id) where made_by_id is not null;

CREATE TABLE sign_in_failures (
  minute integer primary key,
  failures integer not null
) strict;

CREATE TABLE sign_in_limits (
  id text primary key,
  busy_until integer not null
) strict;

CREATE INDEX sign_in_limits_idle on sign_in_limits (busy_until);

CREATE TABLE sign_ins (
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

CREATE INDEX sign_ins_by_person on sign_ins (person_id);

CREATE TABLE "signing_secrets" (
  secret text primary key,
  owner_id text not null,
  created_at integer not null,
  expires_at integer
) strict;

CREATE INDEX signing_secrets_by_owner on signing_secrets (owner_id);

CREATE UNIQUE INDEX signing_secrets_one_current on signing_secrets (owner_id) where expires_at is null;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE told_margins (
  model text not null,
  alert text not null,
  seen_at integer not null,
  primary key (model, alert)
) strict, without rowid;

CREATE TABLE top_ups (
  account_id text primary key references accounts (id),
  state text not null check (state in ('off', 'on', 'stopped')),
  stopped_by text,
  card text references payment_cards (id),
  customer text,
  threshold_micros integer check (threshold_micros > 0),
  amount_micros integer check (amount_micros > 0),
  month_micros integer check (month_micros >= amount_micros),
  page_opened_at integer,
  check (state <> 'on' or (card is not null and month_micros is not null and threshold_micros is not null))
) strict;

CREATE INDEX top_ups_on on top_ups (account_id) where state = 'on';

CREATE TABLE unanswered_requests (
  caller_id text not null,
  fingerprint text not null,
  job_id text not null,
  job_ids text not null,
  waiter text,
  process text not null,
  repeats integer not null,
  client_request text,
  expires_at integer not null,
  primary key (caller_id, fingerprint, job_id)
) strict, without rowid;

CREATE TABLE uploads (
  id text primary key,
  account_id text not null references accounts (id),
  key text not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  bytes integer not null,
  sha256 text not null,
  created_at integer not null,
  expires_at integer not null
) strict;

CREATE INDEX uploads_by_account on uploads (account_id, expires_at);

CREATE INDEX uploads_by_expiry on uploads (expires_at);

CREATE TABLE verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
) strict;

CREATE INDEX verifications_by_identifier on verifications (identifier);

CREATE TABLE voucher_batches (
  id text primary key,
  name text,
  amount_micros integer not null check (amount_micros > 0),
  count integer not null,
  uses integer not null check (uses > 0),
  created_at integer not null,
  expires_at integer,
  withdrawn_at integer
) strict;

CREATE TABLE vouchers (
  hash text primary key,
  batch_id text not null references voucher_batches (id),
  redeemed integer not null default 0
) strict, without rowid;

CREATE INDEX vouchers_by_batch on vouchers (batch_id, redeemed);

CREATE TABLE word_progress (
  number integer primary key autoincrement,
  account_id text not null unique references accounts (id),
  entry_id integer not null,
  jobs integer not null
) strict;

CREATE TABLE workers (
  worker text primary key,
  slots integer not null,
  seen_at integer not null
) strict;
