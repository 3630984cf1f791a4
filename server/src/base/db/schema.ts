import type { Generated, Kysely, Transaction } from 'kysely';

/** The tables as queries see them. Times are milliseconds since the epoch, and hashes SHA-256 in hex. */
export interface Schema {
  acceptances: AcceptancesTable;
  accounts: AccountsTable;
  activity: ActivityTable;
  activity_progress: ActivityProgressTable;
  address_links: AddressLinksTable;
  admin_keys: AdminKeysTable;
  api_keys: ApiKeysTable;
  attempt_costs: AttemptCostsTable;
  audit_log: AuditLogTable;
  authenticators: AuthenticatorsTable;
  batch_files: BatchFilesTable;
  batch_sources: BatchSourcesTable;
  batches: BatchesTable;
  client_tokens: ClientTokensTable;
  connections: ConnectionsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  endpoints: EndpointsTable;
  endpoint_hours: EndpointHoursTable;
  credit_keys: CreditKeysTable;
  debts: DebtsTable;
  entries: EntriesTable;
  events: EventsTable;
  free_credits: FreeCreditsTable;
  idempotency_keys: IdempotencyKeysTable;
  image_removals: ImageRemovalsTable;
  job_metadata: JobMetadataTable;
  duplicates: DuplicatesTable;
  imprints: ImprintsTable;
  album_images: AlbumImagesTable;
  albums: AlbumsTable;
  job_stars: JobStarsTable;
  job_tags: JobTagsTable;
  jobs: JobsTable;
  kept_answers: KeptAnswersTable;
  kept_images: KeptImagesTable;
  limits: LimitsTable;
  margin_progress: ActivityProgressTable;
  margins: MarginsTable;
  members: MembersTable;
  migrations: MigrationsTable;
  model_versions: ModelVersionsTable;
  operators: OperatorsTable;
  outgoing_emails: OutgoingEmailsTable;
  email_opt_outs: EmailOptOutsTable;
  passkeys: PasskeysTable;
  panel_links: PanelLinksTable;
  pauses: PausesTable;
  payment_cards: PaymentCardsTable;
  payment_reversals: PaymentReversalsTable;
  payments: PaymentsTable;
  people: PeopleTable;
  incidents: IncidentsTable;
  own_rates: OwnRatesTable;
  price_group_versions: PriceGroupVersionsTable;
  price_groups: { id: string };
  processes: ProcessesTable;
  retention_progress: RetentionProgressTable;
  retentions: RetentionsTable;
  rates: RatesTable;
  refusals: RefusalsTable;
  reports: ReportsTable;
  route_health: RouteHealthTable;
  route_paces: RoutePacesTable;
  sessions: SessionsTable;
  settings: SettingsTable;
  shares: SharesTable;
  sign_in_failures: SignInFailuresTable;
  sign_in_limits: SignInLimitsTable;
  sign_ins: SignInsTable;
  told_margins: ToldMarginsTable;
  unanswered_requests: UnansweredRequestsTable;
  uploads: UploadsTable;
  verifications: VerificationsTable;
  signing_secrets: SigningSecretsTable;
  voucher_batches: VoucherBatchesTable;
  top_ups: TopUpsTable;
  vouchers: VouchersTable;
  word_progress: WordProgressTable;
  workers: WorkersTable;
}

/** Runs queries, through the root handle (reads only) or a transaction. */
export type Queries = Kysely<Schema>;
/** Proof of a transaction, which every write requires. */
export type Tx = Transaction<Schema>;

interface AccountsTable {
  id: string;
  name: string;
  balance_micros: bigint;
  reserved_micros: bigint;
  /** The unpaid debts. While they are not 0, the account takes no jobs. */
  debt_micros: Generated<bigint>;
  created_at: number;
  /** When the account was disabled; null if it is enabled. A disabled account's keys are refused. */
  disabled_at: number | null;
  disabled_reason: string | null;
  /** When the account's erasure began, which cannot be undone. */
  erased_at: number | null;
  erasing_since: number | null;
  /** The balance below which the account is alerted; null for never. */
  alert_balance_micros: bigint | null;
  /** The share of a spend limit from which the account is alerted; null for never. */
  alert_spend_percent: number | null;
  /** The price group; null for the prices of the models. */
  price_group: string | null;
}

interface AdminKeysTable {
  id: string;
  name: string;
  hash: string;
  hint: string;
  /** JSON array. */
  scopes: string;
  /** JSON array; null for everywhere. */
  networks: string | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  last_used_at: number | null;
  last_used_address: string | null;
}

interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  hash: string;
  /** The first and last characters of the key, to tell keys apart. */
  hint: string;
  /** JSON array of model ids; null for all models. */
  models: string | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  last_used_at: number | null;
  last_used_address: string | null;
  /** JSON array of the CIDR blocks that may use the key; null for all. */
  networks: string | null;
  /** When the account was warned that the key would expire, or chose that time when it rolled the key. */
  expiry_told_at: number | null;
  /** The key that replaced this one when it was rolled. */
  rolled_to: string | null;
}

/** A request in another vendor's format whose answer has not been sent. */
export interface UnansweredRequestsTable {
  /** The id of a key or client token. */
  caller_id: string;
  fingerprint: string;
  job_id: string;
  /** JSON array of all jobs of the request. */
  job_ids: string;
  /** The request that is waiting for the jobs. Each repetition replaces it. Null once its client has disconnected. */
  waiter: string | null;
  /** The process that serves `waiter`. */
  process: string;
  /** How often the client has repeated the request, by its own count. */
  repeats: number;
  /** The id with which the client reports that it no longer waits; null if its disconnection shows that. */
  client_request: string | null;
  expires_at: number;
}

interface LimitsTable {
  subject_id: string;
  subject: 'account' | 'key' | 'client_token';
  meter: 'hour' | 'day' | 'month' | 'total' | 'open' | 'waiting' | 'running' | 'input' | 'second' | 'minute';
  /** The limit in micro-units, jobs, bytes (meter `input`) or requests (`second`, `minute`); null for none. */
  most: number | null;
  /** 1 for the installation's default; then `most` is ignored. */
  is_default: number;
  used: number;
  /** The start of the hour, day or month that `used` covers; otherwise 0. */
  starts_at: number;
  /** 1 if the account was warned in this hour, day or month that the limit is nearly used. */
  told: number;
  /** `starts_at` of the period in which the account was notified that the limit stopped a job; null for never. */
  reached_told: number | null;
}

interface RetentionsTable {
  account_id: string;
  part: string;
  days: number;
}

interface RetentionProgressTable {
  account_id: string;
  part: string;
  /** The id of the last job whose `part` was deleted. */
  through_id: string;
}

interface RatesTable {
  /** Names an account, key or token, and the unit of the rate, a second or a minute. */
  id: string;
  /** The bucket's content in millionths of a request; negative if processes took too much. */
  micros: number;
  burst: number;
  per_second: number;
  /** The number of requests, allowed or refused. */
  asked: number;
  at: number;
}

interface ClientTokensTable {
  id: string;
  /** The key that created the token. Without it, the token is invalid. */
  key_id: string;
  hash: string;
  /** JSON array of model ids; null for all models. */
  models: string | null;
  origin: string | null;
  created_at: number;
  expires_at: number;
}

export interface BatchesTable {
  id: string;
  account_id: string;
  name: string | null;
  jobs: number;
  done: number;
  failed: number;
  price_micros: bigint;
  /** The price of the `done` jobs of the batch. */
  charged_micros: bigint;
  /** The URL for the webhook when the batch ends; null for the account's endpoints. */
  callback_url: string | null;
  created_at: number;
  cancelled_at: number | null;
  finished_at: number | null;
}

export interface BatchFilesTable {
  id: string;
  account_id: string;
  name: string;
  bytes: number;
  created_at: number;
}

export interface BatchSourcesTable {
  batch_id: string;
  /** The file may have been deleted since. */
  file_id: string;
  /** The call that each line names. */
  call: string;
  /** JSON object. */
  metadata: string | null;
  /** JSON with the name of each request, and how it is answered. */
  answers: string;
}

export interface DeliveriesTable {
  id: Generated<number>;
  event_id: string;
  account_id: string;
  /** Null if the request has its own `callback_url`. */
  endpoint_id: string | null;
  url: string;
  /** Account and host. Deliveries of one lane share a limit on concurrency. */
  lane: string;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  attempt: number;
  worker: string | null;
  claimable_at: number;
  /** Why the last attempt failed or the delivery was cancelled, as a word from a closed list. */
  failure: string | null;
  created_at: number;
  ended_at: number | null;
}

interface DeliveryAttemptsTable {
  delivery_id: number;
  attempt: number;
  at: number;
  duration_ms: number;
  /** The status of the response; null if there was none. */
  status: number | null;
  /** Null for a success. */
  failure: string | null;
  answer: string | null;
}

export interface EndpointsTable {
  id: string;
  account_id: string;
  /** 1 for the endpoint that API calls mean by "the webhook". It signs with the account's secret. */
  is_default: number;
  url: string;
  /** JSON array of the event types to send; null for all. */
  events: string | null;
  created_at: number;
  /** When the current series of failures began; null after a success. */
  failing_since: number | null;
  disabled_at: number | null;
  disabled_reason: 'gone' | 'failing' | 'manual' | null;
}

interface EndpointHoursTable {
  endpoint_id: string;
  /** Hours since the epoch. */
  hour: number;
  outcome: 'delivered' | 'failed';
  /** The duration class of the attempts, on a logarithmic scale. */
  speed: number;
  attempts: number;
}

export interface AuditLogTable {
  id: Generated<number>;
  at: number;
  /** Null if the actor is not a person. */
  person_id: string | null;
  /** The person's name at that time, or the English name of another actor. */
  person_name: string;
  /** Null in entries older than this column. */
  actor_kind: string | null;
  action: string;
  account_id: string | null;
  subject: string | null;
  /** JSON object. */
  detail: string;
  address: string | null;
}

interface AuthenticatorsTable {
  id: string;
  person_id: string;
  /** Encrypted, like `backup_codes`. */
  secret: string;
  backup_codes: string;
  verified: number | null;
  /** The number of wrong codes in a row. */
  failures: number | null;
  locked_until: string | null;
  /** The time step (half minutes since 1970) of the newest accepted code. */
  last_step: number | null;
}

interface PasskeysTable {
  id: string;
  person_id: string;
  name: string;
  /** Base64url, as browsers send it. */
  credential_id: string;
  public_key: string;
  /** The device's signature counter; 0 if the device has none. */
  uses: number;
  created_at: number;
  used_at: number | null;
}

export interface ConnectionsTable {
  name: string;
  provider: string;
  base_url: string | null;
  /** Sealed; null if the server needs none. */
  credential: string | null;
  created_at: number;
  changed_at: number;
  changed_by: string;
}

interface CreditKeysTable {
  account_id: string;
  key: string;
  amount_micros: bigint;
  reason: string;
}

interface KeptAnswersTable {
  id: string;
  fingerprint: string;
  /** Sealed. */
  answer: string | null;
  created_at: number;
}

interface AttemptCostsTable {
  job_id: string;
  attempt: number;
  account_id: string;
  key_id: string;
  model: string;
  route: string | null;
  provider: string | null;
  upstream_model: string | null;
  ended_at: number;
  /** Null if the worker did not report the beginning. */
  began_at: number | null;
  billed: string;
  cost_micros: bigint | null;
  possible_micros: bigint | null;
  /** Null for the installation's currency. */
  currency: string | null;
  /** JSON. */
  usage: string | null;
  /** 1 for the attempt that made the job's image. */
  delivered: 0 | 1;
  counted: 0 | 1 | 2;
  /** 1 if the cost is counted with the capture of the job. */
  with_capture: 1 | null;
}

export interface EntriesTable {
  id: Generated<number>;
  account_id: string;
  job_id: string | null;
  kind: 'credit' | 'debit' | 'reserve' | 'capture' | 'release';
  amount_micros: bigint;
  reason: string | null;
  created_at: number;
  /** The model of a capture; null for other entries, and for captures older than this column. */
  model: string | null;
  /** The payment's reference in another system, such as an invoice number; unique within an account. */
  reference: string | null;
  corrects: number | null;
}

interface EventsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  /** The job that ended; for an event about something else, its subject, such as a batch, or the event's own id. */
  job_id: string;
  type: string;
  /** The payload as JSON; null if the job is the payload. */
  data: string | null;
  created_at: number;
}

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  fingerprint: string;
  /** Null while the first request is in progress. */
  job_id: string | null;
  /** The request that is using the key. Other requests must wait until `held_until`. */
  holder: string | null;
  held_until: number | null;
  created_at: number;
}

interface ImageRemovalsTable {
  key: string;
  requested_at: number;
}

export interface JobsTable {
  id: string;
  account_id: string;
  key_id: string;
  /** The client token that created the job; null if a key did. */
  client_token_id: string | null;
  /** The time after which the image is useless; null for never. */
  deadline_at: number | null;
  model: string;
  mode: 'text' | 'url';
  prompt: string;
  requested_ratio: string;
  /** The ratio in use; null until `auto` is resolved. */
  aspect_ratio: string | null;
  resolution: string;
  price_micros: bigint;
  callback_url: string | null;
  /** The idempotency key of the request that created the job, so that the key's record can be deleted with the job. */
  idempotency_key: string | null;
  /** JSON of StoredInput[]. A mask comes last, with `isMask`. */
  inputs: string;
  status: 'queued' | 'processing' | 'done' | 'failed';
  /** Incremented by every claim, so that workers presumed dead are refused. */
  attempt: number;
  /** The worker that holds the lease; null without a lease. */
  worker: string | null;
  /** The earliest time of the next claim; under a lease, when the lease ends. */
  claimable_at: number;
  /** JSON: AttemptFailure[]. */
  failures: string;
  route: string | null;
  /** The provider's id of the accepted request, with which the next attempt resumes it. */
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
  /** JSON array of sentences about how the image was created. */
  notes: string | null;
  /** The id of the request that created the job; null for jobs of earlier versions. */
  request_id: string | null;
  /** The model version under which the job was accepted; null, like `parameters`, in jobs of earlier versions. */
  model_version: number | null;
  /** The upstream cost of the image; null if it is unknown. */
  cost_micros: bigint | null;
  /** JSON object; null if empty. */
  parameters: string | null;
  /** Base64; null until the renditions are made. */
  thumbhash: string | null;
  /** Colour names, the most frequent first, separated by spaces; null until the renditions are made. */
  colours: string | null;
  /** When the image and the prompt were deleted. */
  image_deleted_at: number | null;
  /** JSON object of texts; null if empty. Searches read the copy in `job_metadata`. */
  metadata: string | null;
  /** The job that this job repeats or edits, or whose image it uses. That job may have been removed. */
  origin_job_id: string | null;
  origin_kind: 'input' | 'again' | 'edit' | null;
  /** JSON of `Output`; null for a PNG as made by the model. */
  output: string | null;
  /** The job's batch; `batch_index` is its position there, from 0. */
  batch_id: string | null;
  batch_index: number | null;
}

interface DuplicatesTable {
  job_id: string;
  account_id: string;
}

interface ImprintsTable {
  job_id: string;
  account_id: string;
  band_0: number;
  band_1: number;
  band_2: number;
  band_3: number;
  fine: string;
}

interface RefusalsTable {
  id: string;
  account_id: string;
  key_id: string;
  job_id: string | null;
  stage: string;
  reason: string | null;
  prompt: string | null;
  at: number;
  struck: number;
}

interface JobMetadataTable {
  account_id: string;
  key: string;
  value: string;
  job_id: string;
}

interface KeptImagesTable {
  account_id: string;
  job_id: string;
}

interface AlbumsTable {
  id: string;
  account_id: string;
  name: string;
  created_at: number;
}

interface AlbumImagesTable {
  album_id: string;
  position: number;
  job_id: string;
  account_id: string;
}

interface JobStarsTable {
  account_id: string;
  job_id: string;
}

interface JobTagsTable {
  account_id: string;
  tag: string;
  job_id: string;
}

interface MembersTable {
  account_id: string;
  person_id: string;
  created_at: number;
  role: Generated<'owner' | 'developer' | 'billing' | 'viewer'>;
}

interface MigrationsTable {
  version: number;
  name: string;
  applied_at: number;
  /** Null until a version with fingerprints has checked the database. */
  fingerprint: string | null;
  /** 1 if programs without this migration can keep running. */
  is_expansion: number | null;
}

interface OperatorsTable {
  person_id: string;
  created_at: number;
  role: Generated<'admin' | 'support'>;
}

interface AcceptancesTable {
  person_id: string;
  document: 'terms' | 'privacy';
  version: string;
  accepted_at: number;
}

interface AddressLinksTable {
  token_hash: string;
  purpose: 'sign_up' | 'password_reset';
  email: string;
  /** The person whose password the link sets; null for a sign-up, which creates the person. */
  person_id: string | null;
  expires_at: number;
}

interface FreeCreditsTable {
  /** A slow hash of the normalised email address. */
  address_hash: string;
  given_at: number;
}

interface EmailOptOutsTable {
  person_id: string;
  topic: string;
  since: number;
}

interface OutgoingEmailsTable {
  id: string;
  kind: string;
  email: string;
  /** The person who gets the email; null if none is known. */
  person_id: string | null;
  /** JSON with the data of the email, for kinds that need more than their name. */
  data: string | null;
  /** The language of the email, if no person is known. */
  language: string | null;
  attempt: Generated<number>;
  claimable_at: number;
  created_at: number;
}

interface PanelLinksTable {
  token_hash: string;
  kind: 'sign_in' | 'invitation';
  person_id: string | null;
  /** The account to join, for an invitation; null to become an operator. */
  account_id: string | null;
  note: string | null;
  /** The role of the invited person; null for the owner of an account, or an admin. */
  role: 'owner' | 'developer' | 'billing' | 'viewer' | 'admin' | 'support' | null;
  /** The operator or owner who created the link; null for the command line and the first start. */
  made_by: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

interface PausesTable {
  /** `project`, a model id or an account id. */
  scope: string;
  reason: string | null;
  until: number | null;
  created_at: number;
}

export interface ModelVersionsTable {
  model: string;
  version: number;
  /** JSON of `ModelDefinition`; null if the model was removed. */
  definition: string | null;
  source: 'specified' | 'file' | 'operator';
  author_id: string | null;
  author_name: string;
  created_at: number;
}

/** Written by better-auth, like the other sign-in tables. Times are ISO 8601 texts, booleans 0 and 1. */
interface PeopleTable {
  id: string;
  name: string;
  email: string;
  email_verified: number;
  /** An email address that is another person's `email`, until one of the two confirms it. */
  claimed_email: string | null;
  image: string | null;
  has_authenticator: number | null;
  language: string | null;
  /** The language of the browser when a session last began. */
  browser_language: string | null;
  created_at: string;
  updated_at: string;
}

interface RouteHealthTable {
  route: string;
  state: 'open' | 'rate_limited' | 'rejected';
  /** When the route may be used again, at first by one job at a time (half open). */
  until: number;
  failures: number;
  reason: string;
  detail: string | null;
  changed_at: number;
}

interface RoutePacesTable {
  route: string;
  /** When the route's pace allows the next attempt. */
  busy_until: number;
}

interface SessionsTable {
  id: string;
  person_id: string;
  token: string;
  /** How the person signed in, unless `passkey_id` is set. */
  via: 'password' | 'link' | 'oidc';
  passkey_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface SettingsTable {
  name: string;
  value: string;
}

export interface SigningSecretsTable {
  /** `whsec_…` for signing deliveries, sealed; for a bucket, its access key as JSON. */
  secret: string;
  /** The id of an endpoint or an account. */
  owner_id: string;
  created_at: number;
  /** Null for the current secret. A rotated secret also signs until this time. */
  expires_at: number | null;
}

export interface ReportsTable {
  id: string;
  account_id: string;
  job_id: string;
  reason: string;
  contact: string | null;
  address: string;
  created_at: number;
  taken_down_at: number | null;
  evidence_key: string | null;
  /** JSON. */
  evidence: string | null;
  resolved_at: number | null;
  resolved_by: string | null;
}

interface IncidentsTable {
  id: string;
  scope: string;
  reason: string | null;
  began_at: number;
  until: number | null;
  ended_at: number | null;
  changed_at: number;
}

export interface PriceGroupVersionsTable {
  group_id: string;
  version: number;
  /** JSON of `PriceGroupDefinition`; null if the group was removed. */
  definition: string | null;
  author_id: string | null;
  author_name: string;
  created_at: number;
}

interface OwnRatesTable {
  provider: string;
  model: string;
  version: number;
  /** JSON; null for the provider's published rates. */
  rates: string | null;
  author_id: string | null;
  author_name: string;
  created_at: number;
}

interface ToldMarginsTable {
  model: string;
  /** `below_cost`, `cost_risen`. */
  alert: string;
  /** When the alert was last found to be true. */
  seen_at: number;
}

export interface PaymentsTable {
  id: string;
  account_id: string;
  /** `stripe`. */
  provider: string;
  state: 'open' | 'paid' | 'failed' | 'unclaimed';
  amount_micros: bigint;
  /** The provider's id for the payment, once it has one. */
  reference: string | null;
  /** The charge including taxes, in the currency's smallest unit; null before the charge. */
  charged_minor: number | null;
  /** The refunded or disputed amount. */
  reversed_micros: Generated<bigint>;
  created_at: number;
  paid_at: number | null;
  /** The provider's id of the card, for an automatic charge. */
  card: string | null;
  /** When the provider was last asked to charge the card. */
  asked_at: number | null;
}

interface PaymentCardsTable {
  id: string;
  account_id: string;
  /** The provider's id of the account. */
  customer: string;
  brand: string;
  last4: string;
  /** The last month in which the card is valid: `2029-08`. */
  ends: string;
  gone_at: number | null;
  /** The time of the report, by the provider's clock. 0 for cards from before it was recorded. */
  saved_at: Generated<number>;
}

export interface TopUpsTable {
  account_id: string;
  state: 'off' | 'on' | 'stopped';
  stopped_by: 'declined' | 'authentication_required' | 'card_removed' | 'disputed' | null;
  card: string | null;
  customer: string | null;
  threshold_micros: bigint | null;
  amount_micros: bigint | null;
  /** The maximum amount per month. */
  month_micros: bigint | null;
  /** When a page for entering a card was last opened. */
  page_opened_at: number | null;
}

interface PaymentReversalsTable {
  /** The provider's id of the refund or dispute. */
  reference: string;
  payment_id: string;
  /** The amount including taxes, in the currency's smallest unit. */
  minor: number;
  state: 'taken' | 'returned';
  kind: Generated<'refund' | 'dispute'>;
  said_at: Generated<number>;
  /** The number of changes of the state, plus one. */
  turn: Generated<number>;
  /** 1 if the dispute is lost. */
  is_over: Generated<number>;
}

interface DebtsTable {
  id: Generated<number>;
  account_id: string;
  reason: string;
  /** The entry of the credit that was taken back. */
  corrects: number | null;
  amount_micros: bigint;
  left_micros: bigint;
  created_at: number;
}

export interface VoucherBatchesTable {
  id: string;
  name: string | null;
  amount_micros: bigint;
  count: number;
  uses: number;
  created_at: number;
  expires_at: number | null;
  withdrawn_at: number | null;
}

interface VouchersTable {
  hash: string;
  batch_id: string;
  redeemed: Generated<number>;
}

export interface SharesTable {
  token: string;
  account_id: string;
  /** JSON array of ids. */
  job_ids: string;
  /** The shared album; null if images are shared. */
  album_id: string | null;
  with_prompts: number;
  /** The person who made the link; null for keys, and for older links. */
  made_by_id: string | null;
  /** The creator's name when they made the link, or last left the account. `makerName` finds the current name. */
  made_by: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

interface SignInFailuresTable {
  /** Minutes since 1970. */
  minute: number;
  failures: number;
}

interface SignInLimitsTable {
  /** A hash of what the limit is for, such as an IP address, an email address or a device. */
  id: string;
  /** When all tries are available again. */
  busy_until: number;
}

interface SignInsTable {
  id: string;
  person_id: string;
  /** `credential` for a password. */
  provider_id: string;
  subject: string;
  password: string | null;
  created_at: string;
  updated_at: string;
}

interface VerificationsTable {
  id: string;
  expires_at: string;
}

interface ActivityTable {
  account_id: string;
  /** The length of the slot, an hour or a day. */
  slot_ms: number;
  /** Hours or days since the epoch. */
  slot: number;
  model: string;
  key_id: string;
  resolution: string;
  status: 'done' | 'failed';
  /** Empty for `done` jobs. */
  error_code: string;
  /** The class of the time from the job's creation to its image; -1 for failed jobs. */
  duration_class: number;
  jobs: number;
  price_micros: bigint;
}

interface MarginsTable {
  /** Days since the epoch. */
  day: number;
  account_id: string;
  key_id: string;
  model: string;
  /** Empty for an unknown route. */
  route: string;
  provider: string;
  images: number;
  revenue_micros: bigint;
  /** The known costs of all attempts. `wasted_micros` is the part for images that no client received. */
  cost_micros: bigint;
  wasted_micros: bigint;
  /** The number of images with unknown cost. */
  uncosted: number;
  /** The number of attempts that may be billed; `possible_micros` is their cost in that case. */
  unknown: number;
  possible_micros: bigint;
}

/** The progress of `activity` or `margins`. */
interface ActivityProgressTable {
  account_id: string;
  entry_id: number;
}

/** The progress of the full-text index `job_words`, a table that differs by database. */
interface WordProgressTable {
  number: Generated<number>;
  account_id: string;
  /** The last of the account's entries that was read. */
  entry_id: number;
  jobs: number;
}

interface ProcessesTable {
  process: string;
  role: string;
  version: string;
  started_at: number;
  seen_at: number;
}

interface WorkersTable {
  worker: string;
  slots: number;
  seen_at: number;
}

export interface UploadsTable {
  id: string;
  account_id: string;
  key: string;
  media_type: string;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  created_at: number;
  expires_at: number;
}
