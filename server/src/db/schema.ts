import type { Generated, Kysely, Transaction } from 'kysely';

/**
 * The tables, as queries see them. Times are whole milliseconds since the Unix epoch; columns that end in `_micros`
 * are money in millionths and arrive as `bigint`; columns marked JSON hold JSON text.
 */
export interface Schema {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  entries: EntriesTable;
  events: EventsTable;
  idempotency_keys: IdempotencyKeysTable;
  jobs: JobsTable;
  migrations: MigrationsTable;
  pauses: PausesTable;
  settings: SettingsTable;
}

/** Runs queries: the root handle (reads only) or a transaction. */
export type Queries = Kysely<Schema>;
/** Proof that the caller owns a transaction; every write takes one. */
export type Tx = Transaction<Schema>;

interface AccountsTable {
  id: string;
  name: string;
  balance_micros: bigint;
  reserved_micros: bigint;
  created_at: number;
}

interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  /** First and last characters, to tell keys apart. */
  hint: string;
  /** JSON array of model ids; null for all models. */
  models: string | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  last_used_at: number | null;
}

export interface EntriesTable {
  id: Generated<number>;
  account_id: string;
  job_id: string | null;
  kind: 'credit' | 'reserve' | 'capture' | 'release';
  amount_micros: bigint;
  reason: string | null;
  created_at: number;
}

interface EventsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  job_id: string;
  type: 'job.done' | 'job.failed';
  created_at: number;
}

interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  fingerprint: string;
  /** Null while the first request is under way. */
  job_id: string | null;
  /** Who is working on the first request, and until when nobody else may. */
  holder: string | null;
  held_until: number | null;
  created_at: number;
}

export interface JobsTable {
  id: string;
  account_id: string;
  key_id: string;
  model: string;
  mode: 'text' | 'url';
  prompt: string;
  requested_ratio: string;
  /** The ratio that is used; null until `auto` is resolved. */
  aspect_ratio: string | null;
  resolution: string;
  price_micros: bigint;
  callback_url: string | null;
  /** JSON: StoredInput[]. */
  inputs: string;
  status: 'queued' | 'processing' | 'done' | 'failed';
  /** Raised by every claim: the fence against workers that were presumed dead. */
  attempt: number;
  /** Who holds the lease; null when nobody does. */
  worker: string | null;
  /** Not before this may the job be claimed; under a lease, when the lease ends. */
  claimable_at: number;
  /** JSON: AttemptFailure[]. */
  failures: string;
  route: string | null;
  /** What the provider calls the request that it accepted; lets the next attempt take it up again. */
  remote_id: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  error: string | null;
  error_code: string | null;
  image_key: string | null;
  image_width: number | null;
  image_height: number | null;
  image_bytes: number | null;
  image_sha256: string | null;
  /** JSON array of sentences about how the image was made. */
  notes: string | null;
}

interface MigrationsTable {
  version: number;
  name: string;
  applied_at: number;
}

interface PausesTable {
  /** `project` or a model id. */
  scope: string;
  reason: string | null;
  until: number | null;
  created_at: number;
}

interface SettingsTable {
  name: string;
  value: string;
}
