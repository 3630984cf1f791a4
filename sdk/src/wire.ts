// Made from the OpenAPI documents by `npm run snapshots`. Do not edit.

export interface Account {
  account_id: string;
  name: string;
  /** Deposited and not yet spent. */
  balance: string;
  /** Reserved for jobs that are not finished. */
  reserved: string;
  /** `balance` minus `reserved`: what can be spent now. */
  available: string;
  /** The account's debt, because a payment was refunded or disputed after it was spent; only while there is one. The next credits pay it first, and no jobs are accepted until it is paid. */
  debt?: string;
  /** When it was made. */
  created_at: string;
  /** The time at which it was disabled, since when its keys are refused; null while it is enabled. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** The time at which its erasure began. It can never be enabled, credited or used again. */
  erased_at: string | null;
  /** The price group; null for the prices of the models. */
  price_group: string | null;
  /** The number of its members. */
  members: number;
  /** The number of its keys that are not disabled. */
  keys: number;
}

export interface AccountChanges {
  /** Null: the prices of the models. */
  price_group: string | null;
}

export interface AccountPayment {
  /** The account that gets the credit. */
  account_id: string;
  /** The name of the account. */
  account: string;
  payment_id: string;
  /** `open` until it is paid; `failed` if it was refused or too late; `unclaimed` if the account was erased in the meantime. */
  status: 'open' | 'paid' | 'failed' | 'unclaimed';
  /** The credited amount, without taxes. */
  amount: string;
  provider: string;
  /** The provider's id of the payment, which is also in the ledger; null until it is paid. */
  reference: string | null;
  /** The part that went back to the payer through refunds and disputes. */
  reversed: string;
  reversals: Reversal[];
  /** When its page was opened. */
  created_at: string;
  /** When it was credited. */
  paid_at: string | null;
}

type ActorKind =
  | 'person'
  | 'key'
  | 'admin_key'
  | 'command_line'
  | 'configuration_file'
  | 'darkroom'
  | 'policy'
  | 'payment_provider'
  | 'last_owner'
  | 'visitor'
  | 'other';

export interface AlertChanges {
  /** The balance below which the alert is sent; null: never. */
  balance_low?: string | null;
  /** The share of a spend limit, of the account or of one of its keys, at which the alert is sent; null: never. */
  spend_near_percent?: number | null;
}

export interface Alerts {
  /** The balance below which the alert is sent; null: never. */
  balance_low: string | null;
  /** The share of a spend limit, of the account or of one of its keys, at which the alert is sent; null: never. */
  spend_near_percent: number | null;
  /** Whether the alert is also sent by email to owners and billing members: true if the installation sends emails. */
  by_email: boolean;
}

export interface ApiKey {
  key_id: string;
  account_id: string;
  name: string;
  /** Enough of the key to recognise it. */
  hint: string;
  /** Null: every model. */
  models: string[] | null;
  /** The only addresses and CIDR blocks from which the key may be used. Null: everywhere. */
  networks: string[] | null;
  /** `expiring`: it works, and ends within a week. */
  status: KeyStatus;
  /** When it was made. */
  created_at: string;
  /** When it stops working. */
  expires_at: string | null;
  /** When it was disabled. */
  disabled_at: string | null;
  /** The time of its last use, to the minute. */
  last_used_at: string | null;
  /** The client's address at that time. */
  last_used_address: string | null;
  /** The price of its done jobs of the last 30 days. */
  spent_30d: string;
  /** The number of its jobs of the last 30 days. */
  jobs_30d: number;
}

export type AspectRatio = KnownAspectRatio | (string & {});

interface AuditAccount {
  account_id: string;
  name: string;
}

export interface AuditChoices {
  /** People with recent actions. */
  people: AuditPerson[];
  /** The recent actions. */
  actions: string[];
}

export interface AuditEntry {
  audit_id: string;
  /** When it was done. */
  at: string;
  /** A person, `the command line`, or a key by its name. */
  by: string;
  /** The kind of the actor; `other` in entries of earlier versions whose name does not show it. */
  actor_kind: ActorKind;
  /** The name of the person, the key or the payment provider; null if the kind is enough. */
  actor_name: string | null;
  /** Null for the command line and keys. */
  person: AuditPerson | null;
  /** The client's address, if there was one. */
  address: string | null;
  action: string;
  account_id: string | null;
  account: AuditAccount | null;
  /** The id of the object of the action. */
  subject: string | null;
  /** Details, such as amounts, reasons, and values before and after. */
  detail: Record<string, string | number | boolean | null>;
}

interface AuditPerson {
  person_id: string;
  name: string;
}

interface Author {
  /** The kind of the actor; `other` in entries of earlier versions whose name does not show it. */
  kind: ActorKind;
  /** The name of the person or the key; null if the kind is enough. */
  name: string | null;
}

export type Background = 'auto' | 'opaque' | 'transparent';

export interface Balance {
  /** Deposited and not yet spent. */
  balance: string;
  /** Reserved for jobs that are not finished. */
  reserved: string;
  /** `balance` minus `reserved`: what can be spent now. */
  available: string;
  /** The account's debt, because a payment was refunded or disputed after it was spent; only while there is one. The next credits pay it first, and no jobs are accepted until it is paid. */
  debt?: string;
}

export interface Batch {
  batch_id: string;
  /** The name given at its creation. */
  name: string | null;
  /** `done` once all of its jobs have ended, in whatever state. `cancelling` if it was cancelled and some of its jobs have not ended yet. */
  status: BatchStatus;
  /** When the batch was accepted. */
  created_at: string;
  /** When its last job ended. */
  finished_at: string | null;
  /** The number of its jobs. */
  jobs: number;
  /** The number of its jobs in each state. */
  counts: BatchCounts;
  /** The price of all its jobs, reserved when it was created. */
  price: string;
  /** Captured so far, for jobs that are done. */
  charged: string;
}

interface BatchCounts {
  queued: number;
  processing: number;
  done: number;
  /** The number of failed jobs, including cancelled jobs. */
  failed: number;
}

export interface BatchCreated {
  batch_id: string;
  /** `done` once all of its jobs have ended, in whatever state. `cancelling` if it was cancelled and some of its jobs have not ended yet. */
  status: BatchStatus;
  /** Relative path for polling. */
  status_url: string;
  /** The number of its jobs. */
  jobs: number;
  /** The price of all its jobs, reserved when it was created. */
  price: string;
}

export interface BatchQuote {
  /** The number of jobs that it would create. */
  jobs: number;
  /** The price of all requests. */
  price: string;
  /** The price of each, in the order of the requests. */
  prices: string[];
  /** Whether a create would be accepted now and could be made, as far as this is known without fetching inputs. */
  accepted: boolean;
  /** The error codes with which it would be refused, such as `insufficient_funds`. Empty if it would be accepted. */
  reasons: string[];
  /** The reasons for people, a sentence each; null if it would be accepted. */
  detail: string | null;
}

export type BatchStatus = KnownBatchStatus | (string & {});

export interface BillCheck {
  /** The format of the file. */
  format: string;
  provider: string;
  /** The currency of the bill. */
  currency: string;
  /** The time zone of its days. */
  time_zone: string;
  /** The first day. */
  from: string;
  /** The last day, included. */
  to: string;
  /** The number of combinations of model and day without a difference. */
  agreed: number;
  /** The differences in order of time, 100 at most. */
  differences: BillDifference[];
  /** The number of further differences. */
  left_out: number;
  /** Models on the bill that no attempt used, 100 at most: other programs may use the same vendor account. */
  unmatched: UnmatchedModel[];
}

interface BillDifference {
  /** The day in the time zone of the bill. */
  day: string;
  upstream_model: string;
  /** `not_on_bill`: the bill does not have this model on that day; `not_noted`: no attempt was recorded on that day; otherwise a difference in number or cost. */
  differs: BillDifferenceKind[];
  /** Null if the bill has no line for this model and day. */
  bill: BilledOnBill | null;
  noted: BilledAsNoted;
  /** At most twenty attempts of this model on that day. Those that best explain the difference come first. */
  attempts: BilledAttempt[];
}

type BillDifferenceKind = 'not_on_bill' | 'not_noted' | 'count' | 'amount';

interface BilledAsNoted {
  /** The number of billed attempts. */
  count: number;
  /** The cost of attempts whose cost is known. */
  amount: string;
  /** The number of attempts whose cost is unknown. */
  without_cost: number;
  /** The number of attempts that may be billed, which only the bill shows. */
  unknown_attempts: number;
  /** Their cost if they were billed. */
  possible_cost: string;
}

interface BilledAttempt {
  job_id: string;
  attempt: number;
  account_id: string;
  /** When it ended. */
  ended_at: string;
  billed: 'billed' | 'not_billed' | 'unknown';
  /** The cost; null if it is unknown. */
  cost: string | null;
  /** The cost if it was billed. */
  possible_cost: string | null;
  /** The currency of the cost. */
  currency: string;
}

interface BilledOnBill {
  /** The number of images, if the bill counts them. */
  count: number | null;
  /** The charge, where the bill says so. */
  amount: string | null;
}

export interface Brand {
  /** Incremented by each change; 0 before the first. */
  version: number;
  /** Null: no brand is set, and Darkroom's own is shown. */
  name: string | null;
  /** Such as #0b7285; null: ink. */
  accent: string | null;
  /** The colours of buttons on light and on dark pages: the accent, mixed with ink where it would not be visible. */
  colours: BrandColours;
  /** A public PNG, and its size in CSS pixels. */
  logo: BrandLogo | null;
  support_email: string | null;
  terms_url: string | null;
  privacy_url: string | null;
  /** When it was changed. */
  changed_at: string | null;
  changed_by: string | null;
  author: Author | null;
}

interface BrandColours {
  light: Fill;
  dark: Fill;
}

interface BrandLogo {
  url: string;
  width: number;
  height: number;
}

export interface BrandPreview {
  /** The colours of buttons on light and on dark pages: the accent, mixed with ink where it would not be visible. */
  colours: BrandColours;
  /** A `data:` address. */
  logo: string | null;
  emails: EmailSample[];
}

export interface BucketCredentials {
  access_key_id: string;
  secret_access_key: string;
}

export interface ClientToken {
  token_id: string;
  /** The key that created the token, with which it ends. */
  key_id: string;
  /** When it was made. */
  created_at: string;
  /** When it stops working, unless its key does sooner. */
  expires_at: string;
  /** Null: every model. */
  models: string[] | null;
  /** The most that its jobs may cost together. */
  spend_cap: string | null;
  origin: string | null;
}

export interface ClientTokenCreated {
  token_id: string;
  /** The key that created the token, with which it ends. */
  key_id: string;
  /** When it was made. */
  created_at: string;
  /** When it stops working, unless its key does sooner. */
  expires_at: string;
  /** Null: every model. */
  models: string[] | null;
  /** The most that its jobs may cost together. */
  spend_cap: string | null;
  origin: string | null;
  /** Shown once. Send it in place of an API key. */
  token: string;
}

export interface Connection {
  name: string;
  provider: string;
  /** Null: the provider's own. */
  base_url: string | null;
  /** The state of the key, which is never shown. `unreadable`: sealed with a lost secret, so it must be given again. */
  key: ConnectionKey;
  source: ConnectionSource;
  /** The place in the configuration file that sets it; then it can only be changed there. Null for others. */
  locked: string | null;
  /** Null for connections of the configuration file. */
  changed_at: string | null;
  changed_by: string | null;
  author: Author | null;
  /** The models that have a route through it. */
  models: string[];
}

type ConnectionKey = 'set' | 'none' | 'unreadable';

type ConnectionSource = 'file' | 'operator';

type CostEstimate = Record<string, string>;

type DefaultLimit = 'default';

export interface Delivery {
  delivery_id: string;
  /** The `webhook-id`. */
  event_id: string;
  type: EventType;
  /** Null if the event is not about a job. */
  job_id: string | null;
  /** The endpoint; null for a `callback_url`. */
  endpoint_id: string | null;
  /** The address; without its path for callers who may not see images. */
  url: string;
  status: DeliveryStatus;
  /** How many were made. */
  attempts: number;
  /** When it was made. */
  created_at: string;
  /** The time of the next attempt; null unless it waits for one. */
  next_attempt_at: string | null;
  /** The status of the last answer; null if none came. */
  last_status_code: number | null;
  /** Why it failed or was cancelled; null after a success. */
  last_failure: string | null;
  /** All attempts, oldest first. */
  history: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  /** Counts from 1. */
  attempt: number;
  /** When it began. */
  at: string;
  duration_ms: number;
  /** The status of the answer; null if none came. */
  status: number | null;
  /** A word such as `timed_out` or `connect_refused`; null after a success. */
  failure: string | null;
  /** The beginning of the answer; null for callers who may not see it. */
  answer: string | null;
}

export interface DeliveryDetail {
  delivery_id: string;
  /** The `webhook-id`. */
  event_id: string;
  type: EventType;
  /** Null if the event is not about a job. */
  job_id: string | null;
  /** The endpoint; null for a `callback_url`. */
  endpoint_id: string | null;
  /** The address; without its path for callers who may not see images. */
  url: string;
  status: DeliveryStatus;
  /** How many were made. */
  attempts: number;
  /** When it was made. */
  created_at: string;
  /** The time of the next attempt; null unless it waits for one. */
  next_attempt_at: string | null;
  /** The status of the last answer; null if none came. */
  last_status_code: number | null;
  /** Why it failed or was cancelled; null after a success. */
  last_failure: string | null;
  /** All attempts, oldest first. */
  history: DeliveryAttempt[];
  /** The body as it would be sent now, JSON text. */
  body: string;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

type DisabledReason = 'gone' | 'failing' | 'manual';

export interface EmailSample {
  /** The template. */
  kind: string;
  subject: string;
  text: string;
  html: string;
}

export interface Endpoint {
  account_id: string;
  endpoint_id: string;
  /** True for the endpoint that `default` means in a path. It signs with the secret of the account. */
  is_default: boolean;
  /** The address; without its path for callers who may not see images. */
  url: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events: EventType[] | null;
  enabled: boolean;
  /** When this URL was set. */
  created_at: string;
  /** The time since which every attempt has failed; null while it works. */
  failing_since: string | null;
  /** When deliveries to it stopped. `enabled` set to `true` resumes them; so does another URL, unless a person disabled the endpoint. */
  disabled_at: string | null;
  /** `gone`: it answered 410. `failing`: every attempt in five days failed. `manual`: a person disabled it. */
  disabled_reason: DisabledReason | null;
  /** The end of the signing secret; empty for a bucket. */
  secret_hint: string;
  /** The outcome of the deliveries of the last 7 days. */
  health: WebhookHealth;
}

export interface EndpointChange {
  /** An http or https address on the public internet; or a bucket, to which results are copied: `s3://bucket/prefix?region=eu-central-1`, with `endpoint=https://…` if it is not Amazon's. */
  url?: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events?: EventType[] | null;
  /** Only for a bucket: an access key that may put objects. It is stored encrypted and never shown again. */
  credentials?: BucketCredentials;
  /** A disabled endpoint gets nothing. */
  enabled?: boolean;
}

export interface EndpointChanged {
  account_id: string;
  endpoint_id: string;
  /** True for the endpoint that `default` means in a path. It signs with the secret of the account. */
  is_default: boolean;
  /** The address; without its path for callers who may not see images. */
  url: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events: EventType[] | null;
  enabled: boolean;
  /** When this URL was set. */
  created_at: string;
  /** The time since which every attempt has failed; null while it works. */
  failing_since: string | null;
  /** When deliveries to it stopped. `enabled` set to `true` resumes them; so does another URL, unless a person disabled the endpoint. */
  disabled_at: string | null;
  /** `gone`: it answered 410. `failing`: every attempt in five days failed. `manual`: a person disabled it. */
  disabled_reason: DisabledReason | null;
  /** The end of the signing secret; empty for a bucket. */
  secret_hint: string;
  /** The outcome of the deliveries of the last 7 days. */
  health: WebhookHealth;
  /** The number of waiting deliveries that were cancelled. */
  cancelled_deliveries: number;
}

export interface EndpointDetail {
  account_id: string;
  endpoint_id: string;
  /** True for the endpoint that `default` means in a path. It signs with the secret of the account. */
  is_default: boolean;
  /** The address; without its path for callers who may not see images. */
  url: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events: EventType[] | null;
  enabled: boolean;
  /** When this URL was set. */
  created_at: string;
  /** The time since which every attempt has failed; null while it works. */
  failing_since: string | null;
  /** When deliveries to it stopped. `enabled` set to `true` resumes them; so does another URL, unless a person disabled the endpoint. */
  disabled_at: string | null;
  /** `gone`: it answered 410. `failing`: every attempt in five days failed. `manual`: a person disabled it. */
  disabled_reason: DisabledReason | null;
  /** The end of the signing secret; empty for a bucket. */
  secret_hint: string;
  /** The outcome of the deliveries of the last 7 days. */
  health: WebhookHealth;
  /** How the attempts of the last 72 hours ended, except those that failed because of us. */
  hours: EndpointHour[];
}

interface EndpointHour {
  /** When it began. */
  hour: string;
  attempts: number;
  failed: number;
  /** The median duration of successful attempts; null without any. */
  p50_ms: number | null;
}

export interface EndpointUpdate {
  /** An http or https address on the public internet; or a bucket, to which results are copied: `s3://bucket/prefix?region=eu-central-1`, with `endpoint=https://…` if it is not Amazon's. */
  url: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events?: EventType[] | null;
  /** Only for a bucket: an access key that may put objects. It is stored encrypted and never shown again. */
  credentials?: BucketCredentials;
  /** A disabled endpoint gets nothing. `true` when left out. */
  enabled?: boolean;
}

export interface Entry {
  entry_id: string;
  kind: EntryKind;
  /** Never negative. */
  amount: string;
  /** The change of `balance`, with its sign. */
  balance_change: string;
  /** The change of `reserved`, with its sign. */
  reserved_change: string;
  /** Right after it; null in a list of one kind. */
  balance_after: string | null;
  /** Right after it; null in a list of one kind. */
  reserved_after: string | null;
  /** Null for operators' entries (`credit` or `debit`). */
  job_id: string | null;
  /** The reason that an operator gave. */
  reason: string | null;
  /** Your name for the payment, if it has one. */
  reference?: string;
  /** The `entry_id` of the credit that a `debit` corrects, if it does. */
  corrects?: string;
  /** When it was written. */
  created_at: string;
  /** The beginning of the job's prompt; only with `include=prompt`. Null if the job was removed, or for callers who may not see images. */
  prompt?: string | null;
}

export type EntryKind = KnownEntryKind | (string & {});

export interface ErasedAccount {
  account_id: string;
  /** The number of jobs that were erased. */
  jobs: number;
  /** The number of images and inputs that were erased. */
  objects: number;
}

type ErrorCode = KnownErrorCode | (string & {});

export interface Eta {
  /** The median: the job is as likely to end earlier as later. */
  p50: number;
  /** The job hardly ever ends later. */
  p95: number;
}

export interface Event {
  /** The `webhook-id` of its deliveries. */
  id: string;
  type: JobEventType;
  /** When the job ended. */
  timestamp: string;
  data: Job;
}

export interface EventList {
  data: Event[];
  /** The position after this answer, even if the answer is empty. */
  next_cursor: string;
  /** Whether more events are available now. */
  has_more: boolean;
}

export type EventType =
  | 'job.done'
  | 'job.failed'
  | 'batch.completed'
  | 'balance.low'
  | 'spend_limit.near'
  | 'spend_limit.reached'
  | 'key.expiring'
  | 'payment.received'
  | 'top_up.stopped'
  | 'policy.strike';

interface Evidence {
  prompt: string;
  model: string;
  sha256: string;
  /** When the job was made. */
  made_at: string;
}

export type FastAspectRatio =
  | '1:1'
  | '2:3'
  | '3:2'
  | '3:4'
  | '4:3'
  | '4:5'
  | '5:4'
  | '9:16'
  | '16:9'
  | '21:9';

export interface FastTextGeneration {
  /** The content of the image. NUL bytes are removed. */
  prompt: string;
  /** Width to height. */
  aspect_ratio: FastAspectRatio;
  /** Up to 16 pairs of your own, such as an order or a customer: stored, shown with the job and in webhooks, and usable as a filter. */
  metadata?: Metadata;
  /** A time within two days. A job not done by then fails with `deadline_exceeded`, for free. */
  deadline?: string;
  /** The deadline in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  /** The format of the result; `png` when left out. */
  output_format?: OutputFormat;
  /** The quality of `jpeg` and `webp`, of 100; 100 when left out. */
  output_compression?: number;
  /** `transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes. */
  background?: Background;
  /** The job that this one repeats or edits. It does not affect the image. */
  origin?: OriginGiven;
  /** Called when the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
}

export interface FastUrlGeneration {
  /** The content of the image. NUL bytes are removed. */
  prompt: string;
  /** Width to height. */
  aspect_ratio: FastAspectRatio;
  /** JPEG, PNG, WebP or GIF, at most 40 MB (41,943,040 bytes) together. */
  input_images_urls: string[];
  /** A mask of the first input, with its shape: only white parts change, for models whose `masks` is true. */
  mask_url?: string;
  /** Up to 16 pairs of your own, such as an order or a customer: stored, shown with the job and in webhooks, and usable as a filter. */
  metadata?: Metadata;
  /** A time within two days. A job not done by then fails with `deadline_exceeded`, for free. */
  deadline?: string;
  /** The deadline in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  /** The format of the result; `png` when left out. */
  output_format?: OutputFormat;
  /** The quality of `jpeg` and `webp`, of 100; 100 when left out. */
  output_compression?: number;
  /** `transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes. */
  background?: Background;
  /** The job that this one repeats or edits. It does not affect the image. */
  origin?: OriginGiven;
  /** Called when the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
}

export interface FieldError {
  /** JSON pointer into the body. */
  pointer: string;
  detail: string;
  code?: string;
}

interface Fill {
  fill: string;
  /** The colour of text on it. */
  text: string;
}

interface GroupPrice {
  model: string;
  resolution: string;
  /** The price of one image. */
  price: string;
  /** The time at which it begins to apply; null: no beginning. */
  from: string | null;
  /** The time at which it ceases to apply; null: no end. */
  until: string | null;
}

type ImageAction = KnownImageAction | (string & {});

type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/webp';

export interface InstallationStatement {
  /** The month in UTC. */
  month: string;
  /** When the month begins. */
  from: string;
  /** When the next month begins. */
  to: string;
  currency: string;
  /** True if the month is over: the statement no longer changes. */
  closed: boolean;
  /** When the month began. */
  opening_balance: string;
  /** The lines, which add up exactly to the difference of the balances. */
  lines: InstallationStatementLine[];
  /** When the month ended, or now. */
  closing_balance: string;
  /** SHA-256 of all preceding fields as JSON. If two statements of a closed month differ, so do their digests. */
  digest: string;
}

interface InstallationStatementLine {
  kind: Movement;
  /** The model of captures; null for other lines, and if it is no longer known. */
  model: string | null;
  entries: number;
  /** The change of the balance, with its sign. */
  amount: string;
}

export interface InstalledModel {
  id: string;
  version: number;
  name: string;
  modes: Mode[];
  /** The prices by resolution. */
  prices: Record<string, string>;
  parameters: string[];
  source: ModelSource;
  /** Null: the routes that the environment implies. */
  routes: number | null;
  /** The place in the configuration file that sets it; then it can only be changed there. Null for others. */
  locked: ModelLock | null;
}

export interface Invitation {
  invitation_id: string;
  role: MemberRole;
  note: string | null;
  /** An operator or owner; null for the command line and keys. */
  made_by: string | null;
  /** When it was made. */
  created_at: string;
  /** When it expires. */
  expires_at: string;
}

export interface InvitationMade {
  /** Opens the panel once; shown this once. */
  url: string;
  /** When it expires. */
  expires_at: string;
}

export interface Job {
  job_id: string;
  status: JobStatus;
  /** When the job was accepted. */
  created_at: string;
  /** When processing began; repeated attempts do not change it. */
  started_at: string | null;
  /** When the job reached a terminal state. */
  finished_at: string | null;
  /** Present only when `status` is `done`. */
  result: JobResult | null;
  /** Why the job failed, a sentence for people. */
  error: string | null;
  model: ModelId;
  mode: Mode;
  /** The ratio that is used; `auto` until it is known. */
  aspect_ratio: AspectRatio;
  resolution: Resolution;
  /** Reserved when created, captured when done, released when failed. */
  price: string;
  /** Why the job failed, for programs. */
  error_code: JobErrorCode | null;
  /** The prompt of the request, without NUL bytes. */
  prompt: string;
  /** The parameters of the request, and defaults for the others; only of models that have any. */
  parameters?: Record<string, string | number | boolean>;
  /** The metadata of the request; only of jobs that have any. */
  metadata?: Record<string, string>;
  /** When it fails unless it is done; only of jobs that were given one. */
  deadline?: string;
  /** The place of the job in the queue; only while it waits, and not in lists. */
  queue?: JobQueue;
  /** The tags in alphabetical order; only in lists, and where `include=tags` asks for it. */
  tags?: string[];
  /** Whether it has a star; only in lists, and where `include=tags` asks for it. */
  starred?: boolean;
  /** When the image is removed, with the prompt and the inputs at the latest; null when it stays, because the job has a star or is in an album. Only of jobs that have an image; only in lists, and where `include=tags` asks for it. */
  kept_until?: string | null;
  /** The key that made it; null when a person did, in the panel; only in lists, and where `include=tags` asks for it. */
  key_id?: string | null;
  /** The job that this one comes from, if there is one. */
  origin?: Origin;
  /** The format of the result; `png` when left out. */
  output_format?: OutputFormat;
  /** The quality of `jpeg` and `webp`, of 100; 100 when left out. */
  output_compression?: number;
  /** `transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes. */
  background?: Background;
  /** The stored input images, in the order of the request: links that are valid as long as `image_url`. Empty for jobs from text. */
  input_images_urls: string[];
  /** A link to the mask, if there is one. */
  mask_url?: string;
}

export interface JobAttempt {
  /** The number, from 1. */
  attempt: number;
  /** When it ended, or when it lost its job. */
  ended_at: string;
  route: string | null;
  provider: string | null;
  upstream_model: string | null;
  /** Whether the upstream charges for it; `unknown`: only its bill will show it. */
  billed: 'billed' | 'not_billed' | 'unknown';
  /** The cost; null if it is unknown. */
  cost: string | null;
  /** The cost in case it was billed, if that is `unknown`. */
  possible_cost: string | null;
  /** The currency of the cost. */
  currency: string;
  /** The usage that the upstream reports, in its own terms. */
  usage: UpstreamUsage | null;
}

export interface JobCreated {
  job_id: string;
  status: 'queued';
  /** Relative path for polling. */
  status_url: string;
  job?: Job;
}

export type JobErrorCode = KnownJobErrorCode | (string & {});

export type JobEventType = 'job.done' | 'job.failed';

export interface JobQueue {
  /** 1 is next. */
  position: number;
  /** The number of waiting jobs of the same model, of all accounts, that begin before it. A free slot goes to the account with the fewest running jobs of the model, and to that account's oldest job. */
  ahead: number;
  /** Seconds until the job ends, estimated from how long jobs took lately and from all that wait; null if unknown, as when the model is paused without an end. */
  eta: Eta | null;
  /** Why it waits now. `turn`: other jobs are first. `account_limit`: the account or the key has reached its limit on running jobs. `route_full`: it is next, but every slot is in use. `route_resting`: the upstream fails, and gets no jobs until `until`. `paced`: the limit on requests per minute is reached. `paused`: the operator has paused the model. `retry`: an attempt failed, and the next may begin at `until`. */
  reason: WaitReason;
  /** When this reason is expected to end; only if that is known. */
  until?: string;
  /** The number of the next attempt; only for `retry`. */
  attempt?: number;
}

export interface JobResult {
  /** Valid for at least 24 hours from this answer; reads within an hour give the same link. Only missing once the image was deleted. */
  image_url?: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  media_type: ImageMediaType;
  bytes: number;
  /** The image as WebP, at most 256 pixels wide: `image_url` with `w=256`. It also takes `w=768` and `w=1600`. */
  thumbnail_url?: string;
  /** A placeholder of some 25 bytes in base64 (ThumbHash), to show while the image loads. It comes a moment after the image. */
  thumbhash: string | null;
  /** How the image was made to fit, when it had to be. */
  notes?: string[];
  /** When the image was deleted, with the prompt and the inputs; absent otherwise. */
  image_deleted_at?: string;
}

export type JobStatus = 'queued' | 'processing' | 'done' | 'failed';

export interface JobTags {
  job_id: string;
  /** The tags in alphabetical order. */
  tags: string[];
  starred: boolean;
  /** When the image is removed, with the prompt and the inputs at the latest; null when it stays, because the job has a star or is in an album. Only of jobs that have an image. */
  kept_until?: string | null;
}

export interface KeyChange {
  /** The only addresses and CIDR blocks from which the key may be used; null: everywhere. */
  networks?: string[] | null;
  /** Null for no limit, `default` for the installation's. */
  limits?: LimitChanges;
}

type KeyStatus = 'active' | 'expiring' | 'expired' | 'disabled';

export type KnownAspectRatio =
  | '1:1'
  | '2:3'
  | '3:2'
  | '3:4'
  | '4:3'
  | '4:5'
  | '5:4'
  | '9:16'
  | '16:9'
  | '21:9'
  | '1:4'
  | '1:8'
  | '4:1'
  | '8:1'
  | 'auto';

type KnownBatchStatus = 'processing' | 'cancelling' | 'done' | 'cancelled';

type KnownEntryKind = 'credit' | 'debit' | 'reserve' | 'capture' | 'release';

export type KnownErrorCode =
  | 'key_missing'
  | 'key_invalid'
  | 'model_forbidden'
  | 'insufficient_funds'
  | 'spend_limit_reached'
  | 'open_jobs_limit_reached'
  | 'input_limit_reached'
  | 'token_forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'headers_too_large'
  | 'request_timeout'
  | 'malformed_request'
  | 'invalid_request'
  | 'inputs_unusable'
  | 'prompt_refused'
  | 'upload_limit_reached'
  | 'idempotency_key_reused'
  | 'reference_reused'
  | 'idempotency_key_in_use'
  | 'job_not_cancellable'
  | 'job_not_finished'
  | 'changed_meanwhile'
  | 'nothing_to_deliver'
  | 'link_invalid'
  | 'image_gone'
  | 'range_not_satisfiable'
  | 'voucher_refused'
  | 'payments_unavailable'
  | 'too_many_requests'
  | 'webhook_secret_unreadable'
  | 'scope_required'
  | 'origin_refused'
  | 'address_refused'
  | 'storage_unavailable'
  | 'project_paused'
  | 'model_paused'
  | 'no_route'
  | 'database_unavailable'
  | 'overloaded'
  | 'shutting_down'
  | 'internal';

type KnownImageAction = 'generate' | 'upscale' | 'remove_background';

type KnownJobErrorCode =
  | 'safety_blocked'
  | 'policy_refused'
  | 'no_image'
  | 'invalid_input'
  | 'provider_unavailable'
  | 'provider_rejected'
  | 'timed_out'
  | 'deadline_exceeded'
  | 'interrupted'
  | 'cancelled'
  | 'internal';

type KnownMarginAlertKind = 'below_cost' | 'cost_risen';

export type KnownModelId = 'nb' | 'nb2' | 'pro';

type KnownMovement = 'sold' | 'voucher' | 'given' | 'refunded' | 'taken' | 'captured';

export type KnownResolution = '1K' | '2K' | '4K';

type KnownWaitReason =
  | 'turn'
  | 'account_limit'
  | 'route_full'
  | 'route_resting'
  | 'paced'
  | 'paused'
  | 'retry';

export interface Limit {
  limit: LimitName;
  unit: LimitUnit;
  /** The period in which it counts; null: at any one time, or in total. */
  per: LimitPer | null;
  /** A decimal amount of money, or a whole number of jobs, bytes or requests. Null: a default was lifted. */
  most: string | null;
  /** True if it is unlimited, whatever the installation's default is. */
  is_lifted: boolean;
  /** True if it is the installation's default. */
  is_default: boolean;
  /** The use so far; null for limits on requests. */
  used: string | null;
  /** The time at which counting starts again; null: never. */
  resets_at: string | null;
}

export interface LimitChanges {
  /** The most that jobs may cost per hour (UTC). */
  spend_hour?: string | null;
  /** The most that jobs may cost per day (UTC). */
  spend_day?: string | null;
  /** The most that jobs may cost per month (UTC). */
  spend_month?: string | null;
  /** The most that jobs may cost in total. */
  spend_total?: string | null;
  /** The maximum number of jobs that wait or run. */
  open?: number | DefaultLimit | null;
  /** The maximum number of waiting jobs. */
  waiting?: number | DefaultLimit | null;
  /** The maximum number of jobs that run at once. */
  running?: number | DefaultLimit | null;
  /** The maximum number of bytes of input images per day. */
  input_bytes_day?: number | DefaultLimit | null;
  /** The maximum number of requests per second. */
  requests_second?: number | DefaultLimit | null;
  /** The maximum number of requests per minute. */
  requests_minute?: number | DefaultLimit | null;
}

type LimitHolder = 'account' | 'key' | 'client_token';

type LimitName =
  | 'spend_hour'
  | 'spend_day'
  | 'spend_month'
  | 'spend_total'
  | 'open'
  | 'waiting'
  | 'running'
  | 'input_bytes_day'
  | 'requests_second'
  | 'requests_minute';

type LimitPer = 'second' | 'minute' | 'hour' | 'day' | 'month';

type LimitUnit = 'money' | 'jobs' | 'bytes' | 'requests';

export interface Margin {
  /** Such as `2026-11`. A row has this, and the fields up to `provider`, only if grouped by them. */
  month?: string;
  /** `2026-11-20`. */
  day?: string;
  /** Who paid. */
  account_id?: string;
  /** The name of the account. */
  account?: string | null;
  /** The key; the id of the account for jobs made in the panel. */
  key_id?: string;
  /** The name of the key; null for jobs made in the panel. */
  key?: string | null;
  /** The id of the model, which may have been removed. */
  model?: string;
  /** Empty if it was not recorded. */
  route?: string;
  /** Empty if it was not recorded. */
  provider?: string;
  images: number;
  /** The revenue: what clients paid. */
  revenue: string;
  /** The cost of all attempts with a known cost; null if no image's cost is known. */
  cost: string | null;
  /** The part of the cost for attempts whose image no client received, because they failed, were cancelled or retried, or made an image twice. */
  cost_without_revenue: string;
  /** Revenue less cost. */
  margin: string | null;
  /** Images with an unknown cost, which count as free. */
  images_without_cost: number;
  /** Attempts that may have been billed, which only the upstream's bill shows. They count as free. */
  unknown_attempts: number;
  /** Their cost if they were billed, as far as it is known. */
  possible_cost: string;
}

export interface MarginAlert {
  model: string;
  alert: MarginAlertKind;
  /** The number of images of today and yesterday. */
  images: number;
  /** The revenue per image on these days. */
  revenue_per_image: string;
  /** The mean cost of images with a known cost, including failures. */
  cost_per_image: string;
  /** The mean cost in the four weeks before; null if too little is known. */
  cost_before: string | null;
}

type MarginAlertKind = KnownMarginAlertKind | (string & {});

export interface MarginList {
  /** The first day. */
  from: string;
  /** The last day, included. */
  to: string;
  currency: string;
  data: Margin[];
  /** The number of rows after the first 5000, which only the table has. */
  left_out: number;
  total: MarginTotal;
}

interface MarginTotal {
  images: number;
  /** The revenue: what clients paid. */
  revenue: string;
  /** The cost of all attempts with a known cost; null if no image's cost is known. */
  cost: string | null;
  /** The part of the cost for attempts whose image no client received, because they failed, were cancelled or retried, or made an image twice. */
  cost_without_revenue: string;
  /** Revenue less cost. */
  margin: string | null;
  /** Images with an unknown cost, which count as free. */
  images_without_cost: number;
  /** Attempts that may have been billed, which only the upstream's bill shows. They count as free. */
  unknown_attempts: number;
  /** Their cost if they were billed, as far as it is known. */
  possible_cost: string;
}

export interface Member {
  person_id: string;
  name: string;
  email: string | null;
  email_confirmed: boolean;
  /** When the person was created. */
  created_at: string;
  role: MemberRole;
}

export type MemberRole = 'owner' | 'developer' | 'billing' | 'viewer';

export type Metadata = Record<string, string>;

export type Mode = 'text' | 'url';

export interface Model {
  id: ModelId;
  name: string;
  description: string;
  /** The action. All but `generate` change one input image. */
  action: ImageAction;
  modes: Mode[];
  aspect_ratios: AspectRatio[];
  /** Smallest first. */
  resolutions: ModelPrice[];
  /** Whether it takes the field `resolution`. */
  selectable: boolean;
  max_input_images: number;
  /** Characters. */
  max_prompt_length: number;
  /** The parameters that the field `parameters` takes: a JSON Schema for each. */
  parameters: Record<string, Record<string, unknown>>;
  /** The formats of `output_format`. */
  formats: OutputFormat[];
  /** The values of `background`. */
  backgrounds: Background[];
  /** Whether it takes `mask_url`. */
  masks: boolean;
  paused: boolean;
  pause_reason: string | null;
  /** The time at which the pause ends; null: not known. */
  paused_until: string | null;
}

type ModelAction = 'add' | 'change';

interface ModelDifference {
  model: string;
  action: ModelAction;
  /** The changes, by path. */
  changes: Record<string, string>;
}

interface ModelEnd {
  /** The first day without it. */
  on: string;
  over: boolean;
  /** A notice with the successor, and the change in price. */
  notice: string;
}

export type ModelId = KnownModelId | (string & {});

interface ModelLock {
  file: string;
  /** JSON pointers into the file. */
  places: string[];
}

export interface ModelPlan {
  applied: boolean;
  differences: ModelDifference[];
  /** The combinations that these models offer but no route can make. Creates for these are refused. */
  uncovered: string[];
}

interface ModelPrice {
  resolution: Resolution;
  /** The price of one image for your account, in the currency of this installation. */
  price: string;
  /** Width and height in pixels of each ratio. */
  sizes: Record<string, Size>;
}

type ModelSource = 'specified' | 'file' | 'operator';

export interface ModelVersion {
  version: number;
  /** When it was made. */
  at: string;
  by: string;
  author: Author;
  source: ModelSource;
  /** True if this version removed the model from the catalogue. */
  removed: boolean;
  /** The changes, by path. */
  changes: Record<string, string>;
}

type Movement = KnownMovement | (string & {});

export interface NewAccount {
  name: string;
  /** The first credit. */
  credit?: string;
  /** The address for its events. */
  webhook?: string;
}

export interface NewApiKey {
  key_id: string;
  account_id: string;
  name: string;
  /** Enough of the key to recognise it. */
  hint: string;
  /** Null: every model. */
  models: string[] | null;
  /** The only addresses and CIDR blocks from which the key may be used. Null: everywhere. */
  networks: string[] | null;
  /** `expiring`: it works, and ends within a week. */
  status: KeyStatus;
  /** When it was made. */
  created_at: string;
  /** When it stops working. */
  expires_at: string | null;
  /** When it was disabled. */
  disabled_at: string | null;
  /** The time of its last use, to the minute. */
  last_used_at: string | null;
  /** The client's address at that time. */
  last_used_address: string | null;
  /** The price of its done jobs of the last 30 days. */
  spent_30d: string;
  /** The number of its jobs of the last 30 days. */
  jobs_30d: number;
  /** The whole key, shown only once. */
  key: string;
}

export interface NewBrand {
  /** The version on which the change is based. If there is a newer one, the call fails with `changed_meanwhile`. */
  version?: number;
  /** At most 60 characters. */
  name: string;
  /** Such as #0b7285. */
  accent?: string | null;
  /** A PNG, JPEG, WebP or SVG file of at most 256 KiB, in base64, which is converted to PNG. Null: none; absent: unchanged. */
  logo?: string | null;
  support_email?: string | null;
  terms_url?: string | null;
  privacy_url?: string | null;
}

export interface NewClientToken {
  /** Seconds. `600` when left out. */
  expires_in?: number;
  /** The models that it may use, among those of the key; by default all of them. */
  models?: string[];
  /** The most that its jobs may cost together, a decimal amount. Failed jobs do not count. Without it, the balance is the limit. */
  spend_cap?: string;
  /** The only origin whose pages may use it. */
  origin?: string;
}

export interface NewConnection {
  provider: string;
  /** The address, unless it is the provider's own. */
  base_url?: string;
  key?: string;
  /** `true`: a connection with this name must exist; `false`: it must not. By default either. */
  replaces?: boolean;
}

export interface NewEndpoint {
  /** An http or https address on the public internet; or a bucket, to which results are copied: `s3://bucket/prefix?region=eu-central-1`, with `endpoint=https://…` if it is not Amazon's. */
  url: string;
  /** The types of events that it gets; null for the end of every job (`job.done`, `job.failed`). It gets `batch.completed`, `balance.low`, `spend_limit.near`, `spend_limit.reached`, `key.expiring`, `payment.received`, `top_up.stopped`, `policy.strike` only if it lists them. */
  events?: EventType[] | null;
  /** Only for a bucket: an access key that may put objects. It is stored encrypted and never shown again. */
  credentials?: BucketCredentials;
}

interface NewGroupPrice {
  model: string;
  resolution: string;
  /** The price of one image. */
  price: string;
  /** The time at which it begins to apply; null: no beginning. */
  from?: string | null;
  /** The time at which it ceases to apply; null: no end. */
  until?: string | null;
}

export interface NewKey {
  name?: string;
  /** The models that it may use; null: every model. */
  models?: string[] | null;
  /** Seconds; never when left out. */
  expires_in?: number;
  /** Null for no limit, `default` for the installation's. */
  limits?: LimitChanges;
  /** The only addresses and CIDR blocks from which the key may be used; null: everywhere. */
  networks?: string[] | null;
}

export interface NewPause {
  /** Shown to clients whose requests are refused. */
  reason?: string;
  /** Seconds; by default, until resumed. */
  for?: number;
}

export interface NewPriceGroup {
  name?: string | null;
  /** The factor on the models' prices; 1 without it. */
  factor?: string;
  /** The time at which it begins to apply; null: no beginning. */
  from?: string | null;
  /** The time at which it ceases to apply; null: no end. */
  until?: string | null;
  /** Prices that apply instead of the factor. */
  prices?: NewGroupPrice[];
}

export interface NewRate {
  provider: string;
  model: string;
  /** Null: the published rate. */
  rates: NewRates | null;
}

interface NewRates {
  /** The price per million text tokens in requests. */
  text_in?: string;
  /** The price per million image tokens in requests. */
  image_in?: string;
  /** The price per million text tokens in answers, including thoughts. */
  text_out?: string;
  /** The price per million image tokens in answers. */
  image_out?: string;
  /** The price per image. */
  image?: string;
  /** The price per unit by which the provider bills the model, such as an image or a megapixel at fal. */
  unit?: string;
  /** The price per credit of the provider. */
  credit?: string;
}

export interface NewVouchers {
  voucher_batch_id: string;
  name: string | null;
  /** The amount of each code. */
  amount: string;
  /** The number of codes. */
  count: number;
  /** How many accounts may redeem each code, once each. */
  uses: number;
  /** How often its codes were redeemed. */
  redeemed: number;
  /** When the codes were created. */
  created_at: string;
  /** When they stop working; null: never. */
  expires_at: string | null;
  /** When they were withdrawn. */
  withdrawn_at: string | null;
  /** The codes, shown only once: the server does not store them. */
  codes: string[];
}

export interface OpenedPayment {
  payment_id: string;
  /** The page, which is valid for a day. */
  url: string;
}

interface Origin {
  /** The job; it may be gone. */
  job_id: string;
  /** How this job uses it: as an input, repeated, or edited. */
  kind: OriginKind;
}

export interface OriginGiven {
  /** A job of the same account. */
  job_id: string;
  kind: OriginGivenKind;
}

type OriginGivenKind = 'again' | 'edit';

type OriginKind = 'input' | 'again' | 'edit';

export type OutputFormat = 'png' | 'jpeg' | 'webp';

export interface Owed {
  /** The first day. */
  from: string;
  /** The last day, included. */
  to: string;
  currency: string;
  data: OwedDay[];
  /** The part of the current sum that erased accounts left: the ledger keeps it, but no one can spend it. */
  erased: string;
}

interface OwedDay {
  /** The month in UTC. */
  day: string;
  /** Credits that have the reference of a payment. */
  sold: string;
  /** Credits by vouchers. */
  voucher: string;
  /** Credits that have only a reason. */
  given: string;
  /** Debits that correct sold credit or have a reference, and credits for refunds and disputes that failed (`returned …`), each with its sign. */
  refunded: string;
  /** Other debits. */
  taken: string;
  /** Captures for images. */
  captured: string;
  /** The balances of all accounts together when the day ended, or now. */
  owed: string;
}

export interface Pause {
  /** A model, an account by its id, or `project`: everything. */
  scope: string;
  reason: string | null;
  /** When it ends. */
  until: string | null;
  /** When it began. */
  since: string;
}

export interface Payment {
  payment_id: string;
  /** `open` until it is paid; `failed` if it was refused or too late; `unclaimed` if the account was erased in the meantime. */
  status: 'open' | 'paid' | 'failed' | 'unclaimed';
  /** The credited amount, without taxes. */
  amount: string;
  provider: string;
  /** The provider's id of the payment, which is also in the ledger; null until it is paid. */
  reference: string | null;
  /** The part that went back to the payer through refunds and disputes. */
  reversed: string;
  reversals: Reversal[];
  /** When its page was opened. */
  created_at: string;
  /** When it was credited. */
  paid_at: string | null;
}

type PolicyStage = 'prompt' | 'image';

export interface PriceGroup {
  price_group_id: string;
  /** Rises with each change. */
  version: number;
  /** The name for operators. */
  name: string | null;
  /** The factor on the models' prices, to the nearest millionth: 0.8 takes 20 % off. */
  factor: string;
  /** The time at which it begins to apply; null: no beginning. */
  from: string | null;
  /** The time at which it ceases to apply; null: no end. */
  until: string | null;
  /** Prices that apply instead of the factor. */
  prices: GroupPrice[];
  /** The number of accounts in the group. */
  accounts: number;
  /** When it was changed. */
  changed_at: string;
  changed_by: string;
  author: Author;
}

interface PriceGroupDefinition {
  /** The name for operators. */
  name: string | null;
  /** The factor on the models' prices, to the nearest millionth: 0.8 takes 20 % off. */
  factor: string;
  /** The time at which it begins to apply; null: no beginning. */
  from: string | null;
  /** The time at which it ceases to apply; null: no end. */
  until: string | null;
  /** Prices that apply instead of the factor. */
  prices: GroupPrice[];
}

export interface PriceGroupVersion {
  version: number;
  /** When it was made. */
  at: string;
  by: string;
  /** The definition; null if this version removed the group. */
  definition: PriceGroupDefinition | null;
}

/** A problem document (RFC 9457). */
export interface Problem {
  /** A page about this code. */
  type: string;
  title: string;
  status: number;
  /** A sentence about this very request. */
  detail: string;
  code: ErrorCode;
  errors?: FieldError[];
  /** The amount that can be spent, on `insufficient_funds` and `spend_limit_reached`. */
  available?: string;
  /** The price of the job, on `insufficient_funds` and `spend_limit_reached`. */
  required?: string;
  /** The limit, on `spend_limit_reached`, `open_jobs_limit_reached` and `input_limit_reached`. */
  limit?: ReachedLimit;
  /** One of these scopes is needed, for `scope_required`. */
  scopes?: string[];
  request_id: string;
}

export interface Quote {
  /** The price of the job. */
  price: string;
  /** Pixels; null for `auto`, which is decided later. */
  width: number | null;
  /** Pixels; null for `auto`, which is decided later. */
  height: number | null;
  /** Whether a create would be accepted now and could be made, as far as this is known without fetching inputs. */
  accepted: boolean;
  /** The error codes with which it would be refused, such as `insufficient_funds`. Empty if it would be accepted. */
  reasons: string[];
  /** The reasons for people, a sentence each; null if it would be accepted. */
  detail: string | null;
  /** Seconds until the job ends, estimated from how long jobs took lately and from all that wait; null if unknown, as when the model is paused without an end. */
  eta: Eta | null;
  /** Only for operators, in the panel. */
  cost?: string | null;
  /** Only for operators, in the panel. */
  margin?: string | null;
}

export interface Rate {
  provider: string;
  /** The provider's own name of the model; null: any. */
  model: string | null;
  /** The price per million text tokens in requests. */
  text_in: string | null;
  /** The price per million image tokens in requests. */
  image_in: string | null;
  /** The price per million text tokens in answers, including thoughts. */
  text_out: string | null;
  /** The price per million image tokens in answers. */
  image_out: string | null;
  /** The price per image. */
  image: string | null;
  /** The price per unit by which the provider bills the model, such as an image or a megapixel at fal. */
  unit: string | null;
  /** The price per credit of the provider. */
  credit: string | null;
  currency: string;
  /** Whether this rate is used now. */
  in_use: boolean;
  /** The page with the published rate; null for your own. */
  source: string | null;
  /** The gateway whose price list has the rate; null if the vendor publishes it. */
  gateway: string | null;
  /** The day on which the published rate was read. */
  read_on: string | null;
  /** When an operator set it. */
  changed_at: string | null;
  changed_by: string | null;
  author: Author | null;
}

export interface ReachedLimit {
  of: LimitHolder;
  per: ReachedLimitPer;
  /** A decimal amount; a number of jobs if `per` is `open` or `waiting`; bytes per day if it is `input`. */
  most: string;
  /** The time at which counting starts again; null: never. */
  resets_at: string | null;
}

type ReachedLimitPer = 'hour' | 'day' | 'month' | 'total' | 'open' | 'waiting' | 'input';

export interface RedeemedVoucher {
  /** The added amount. */
  amount: string;
  /** The account's balance afterwards. */
  balance: string;
}

export interface RefusedPrompt {
  /** The id of the refusal. */
  refusal_id: string;
  /** When it was refused. */
  at: string;
  /** The account that asked. */
  account_id: string;
  account_name: string;
  /** The key of the request. */
  key_id: string;
  /** Null if the prompt itself was refused. */
  job_id: string | null;
  stage: PolicyStage;
  /** The reason that the policy's service gives, or the blocked word. */
  reason: string | null;
  prompt: string;
}

export interface ReplayRequest {
  /** Only events of this time or later. */
  from?: string;
  /** Only this event. */
  event_id?: string;
  /** Only to this endpoint. */
  endpoint_id?: string;
  /** Also replays delivered events. */
  delivered?: boolean;
  /** Only events with an attempt, so none from before there was an endpoint. */
  tried?: boolean;
  /** Instead, makes the next attempt of waiting deliveries now. Can be combined only with `endpoint_id`. */
  pending?: boolean;
}

export interface Report {
  report_id: string;
  /** When it came. */
  created_at: string;
  account_id: string;
  account_name: string;
  job_id: string;
  /** The words of the reporter. */
  reason: string;
  /** How they can be reached, if they said so. */
  contact: string | null;
  /** The network address of the reporter. */
  address: string;
  /** When the image was taken down. */
  taken_down_at: string | null;
  /** The copy of an image that was taken down, until the report is resolved. */
  evidence: Evidence | null;
  /** When it was resolved. */
  resolved_at: string | null;
  resolved_by: string | null;
  resolver: Author | null;
}

export type Resolution = KnownResolution | (string & {});

export interface Retention {
  /** Jobs with everything that belongs to them, counted from their end. */
  jobs_days: number;
  /** Results with their smaller images. */
  pictures_days: number;
  /** Prompts and parameters. */
  prompts_days: number;
  /** Input images of jobs. */
  inputs_days: number;
  /** Deliveries of webhooks with their attempts. */
  deliveries_days: number;
  /** Idempotency keys. */
  idempotency_days: number;
  /** The number of images with a star or in an album that are kept longer: those of the oldest jobs. */
  starred: number;
}

export interface RetentionChanges {
  jobs?: number | null;
  pictures?: number | null;
  prompts?: number | null;
  inputs?: number | null;
  deliveries?: number | null;
  idempotency?: number | null;
  audit?: number | null;
}

export type RetentionPart =
  | 'jobs'
  | 'pictures'
  | 'prompts'
  | 'inputs'
  | 'deliveries'
  | 'idempotency'
  | 'audit';

export interface RetentionPeriod {
  part: RetentionPart;
  /** Counted from the end of a job. Null: for ever. */
  days: number | null;
  /** True if the account has its own setting. */
  own: boolean;
  /** The fewest days that may be set. */
  least: number;
}

interface Reversal {
  kind: 'refund' | 'dispute';
  /** The provider's id, which is also in the ledger. */
  reference: string;
  /** `returned`: the refund failed, or the dispute was won. */
  status: 'taken' | 'returned';
}

export interface RouteCheck {
  ok: boolean;
  detail?: string;
  /** How long the answer took, if the provider was asked. */
  ms?: number;
}

export interface RouteReport {
  route: string;
  model: string;
  provider: string;
  /** Null if it is left to the provider. */
  upstream_model: string | null;
  /** The maximum number of concurrent jobs, across all workers. */
  slots: number;
  running: number;
  /** `closed`, `half_open`, or why the route gets no jobs now. */
  state: string;
  /** The route gets no jobs before this time. */
  until: string | null;
  reason: string | null;
  /** The end of an upstream model, if it is past or within 30 days. */
  upstream_end: ModelEnd | null;
  timeout_seconds: number;
  per_minute: number | null;
  weight: number | null;
  /** The operator's estimate per image, by resolution; `any` if it is the same for all. Null without an estimate. */
  cost_estimate: CostEstimate | null;
  detail: string | null;
  done: number;
  failed: number;
  /** Failed attempts, however their jobs ended. */
  failures: number;
  p50_seconds: number | null;
  p95_seconds: number | null;
  /** Whether its model tries the cheapest route first. */
  by_cost: boolean;
  cost_per_image: string | null;
  /** The cost of its attempts in the last seven days, including failures, per delivered image. */
  cost_with_failures: string | null;
  last_error: string | null;
  check?: RouteCheck;
}

interface RouteState {
  route: string;
  model: string;
  provider: string;
  /** Null if it is left to the provider. */
  upstream_model: string | null;
  /** The maximum number of concurrent jobs, across all workers. */
  slots: number;
  running: number;
  /** `closed`, `half_open`, or why the route gets no jobs now. */
  state: string;
  /** The route gets no jobs before this time. */
  until: string | null;
  reason: string | null;
}

export interface Routes {
  routes: RouteReport[];
  /** The combinations that clients may ask for but no route can make. */
  uncovered: string[];
}

interface RunningProcess {
  process: string;
  role: string;
  /** The version, which differs between processes during an upgrade. */
  version: string;
  /** When it started. */
  started_at: string;
}

interface RunningWorker {
  worker: string;
  slots: number;
  jobs: number;
}

export interface Server {
  version: string;
  node: string;
  role: string;
  /** When the process started. */
  started_at: string;
  memory_bytes: number;
  database: ServerDatabase;
  /** The disk with the data folder, even if images are stored elsewhere. */
  storage: ServerStorage;
  /** Sign-ins that failed in the last ten minutes. */
  sign_in_failures: number;
  settings: Setting[];
}

interface ServerDatabase {
  kind: string;
  bytes: number;
  schema_version: number;
}

interface ServerStorage {
  kind: string;
  disk_free_bytes: number;
  disk_bytes: number;
}

interface Setting {
  name: string;
  /** The value; for secrets `set` or `not set`. */
  value: string;
  source: SettingSource;
  about: string;
}

type SettingSource = 'environment' | 'file' | 'default';

export interface SigningSecrets {
  account_id: string;
  /** Null if the account has no default endpoint: its secret then signs only `callback_url`s. */
  endpoint_id: string | null;
  /** All secrets that sign now, the newest first. */
  secrets: WebhookSecret[];
}

interface Size {
  width: number;
  height: number;
}

export interface Statement {
  account_id: string;
  account: string;
  /** The month in UTC. */
  month: string;
  /** When the month begins. */
  from: string;
  /** When the next month begins. */
  to: string;
  currency: string;
  /** True if the month is over: the statement no longer changes. */
  closed: boolean;
  /** When the month began. */
  opening_balance: string;
  /** The lines, which add up exactly to the difference of the balances. */
  lines: StatementLine[];
  /** When the month ended, or now. */
  closing_balance: string;
  /** SHA-256 of all preceding fields as JSON. If two statements of a closed month differ, so do their digests. */
  digest: string;
}

interface StatementLine {
  kind: EntryKind;
  /** The model of captures; null for other lines, and if it is no longer known. */
  model: string | null;
  entries: number;
  /** The change of the balance, with its sign. */
  amount: string;
}

export interface Status {
  version: string;
  database: string;
  storage: string;
  pauses: Pause[];
  queued: number;
  /** Under a lease now. */
  processing: number;
  /** Waiting for a retry. */
  resting: number;
  oldest_queued_ms: number | null;
  waiting: WaitingModel[];
  workers: RunningWorker[];
  processes: RunningProcess[];
  accounts: number;
  routes: RouteState[];
}

export interface TagCount {
  tag: string;
  /** The number of jobs with this tag. */
  jobs: number;
}

export interface TextGeneration {
  /** The content of the image. NUL bytes are removed. */
  prompt: string;
  /** Width to height. `auto` leaves the choice to the model. */
  aspect_ratio: KnownAspectRatio;
  /** `1K` when left out. */
  resolution?: KnownResolution;
  /** Up to 16 pairs of your own, such as an order or a customer: stored, shown with the job and in webhooks, and usable as a filter. */
  metadata?: Metadata;
  /** A time within two days. A job not done by then fails with `deadline_exceeded`, for free. */
  deadline?: string;
  /** The deadline in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  /** The format of the result; `png` when left out. */
  output_format?: OutputFormat;
  /** The quality of `jpeg` and `webp`, of 100; 100 when left out. */
  output_compression?: number;
  /** `transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes. */
  background?: Background;
  /** The job that this one repeats or edits. It does not affect the image. */
  origin?: OriginGiven;
  /** Called when the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
}

interface UnmatchedModel {
  model: string;
  /** The number of images, if the bill counts them. */
  count: number | null;
  /** The charge, where the bill says so. */
  amount: string | null;
}

export interface Upload {
  upload_id: string;
  /** Use it in `input_images_urls`, only for jobs of this account. It also shows the image. */
  url: string;
  /** The width after the image was turned upright and scaled to at most 3072 pixels. */
  width: number;
  height: number;
  /** The stored size. */
  bytes: number;
  /** When the upload is removed, 24 to 25 hours after it was created. */
  expires_at: string;
}

type UpstreamUsage = Record<string, unknown>;

export interface UrlGeneration {
  /** The content of the image. NUL bytes are removed. */
  prompt: string;
  /** Width to height. `auto` takes the supported ratio nearest to the first input. */
  aspect_ratio: KnownAspectRatio;
  /** `1K` when left out. */
  resolution?: KnownResolution;
  /** JPEG, PNG, WebP or GIF, at most 40 MB (41,943,040 bytes) together. */
  input_images_urls: string[];
  /** A mask of the first input, with its shape: only white parts change, for models whose `masks` is true. */
  mask_url?: string;
  /** Up to 16 pairs of your own, such as an order or a customer: stored, shown with the job and in webhooks, and usable as a filter. */
  metadata?: Metadata;
  /** A time within two days. A job not done by then fails with `deadline_exceeded`, for free. */
  deadline?: string;
  /** The deadline in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  /** The format of the result; `png` when left out. */
  output_format?: OutputFormat;
  /** The quality of `jpeg` and `webp`, of 100; 100 when left out. */
  output_compression?: number;
  /** `transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes. */
  background?: Background;
  /** The job that this one repeats or edits. It does not affect the image. */
  origin?: OriginGiven;
  /** Called when the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
}

export interface Usage {
  /** The first day. */
  from: string;
  /** The last day, included. */
  to: string;
  group_by: UsageSplit;
  by: UsageSplit;
  timezone: 'UTC';
  /** The largest cost first. */
  series: UsageSeries[];
  /** Every day, including those without jobs. */
  days: UsageDay[];
  /** Every hour, if there are at most three days; only with `include=times`. */
  hours?: UsageHour[];
  total: UsageTotal;
}

export interface UsageCount {
  /** The price of jobs that are done; others cost nothing. */
  cost: string;
  /** The number of jobs that were created. */
  jobs: number;
  done: number;
  failed: number;
}

interface UsageDay {
  /** The day in UTC. */
  day: string;
  /** The price of jobs that are done; others cost nothing. */
  cost: string;
  /** The number of jobs that were created. */
  jobs: number;
  done: number;
  failed: number;
  /** The median of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p50_ms?: number | null;
  /** The 95th percentile of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p95_ms?: number | null;
  /** The counts in the order of `series`. */
  values: UsageCount[];
}

interface UsageHour {
  /** When it begins. */
  hour: string;
  /** The price of jobs that are done; others cost nothing. */
  cost: string;
  /** The number of jobs that were created. */
  jobs: number;
  done: number;
  failed: number;
  /** The median of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p50_ms?: number | null;
  /** The 95th percentile of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p95_ms?: number | null;
  /** The counts in the order of `series`. */
  values: UsageCount[];
}

interface UsageSeries {
  /** The model; the key (`panel` for jobs created in the panel); or the resolution, status or error. */
  id: string;
  name: string;
  /** The price of jobs that are done; others cost nothing. */
  cost: string;
  /** The number of jobs that were created. */
  jobs: number;
  done?: number;
  failed?: number;
  /** The median of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p50_ms?: number | null;
  /** The 95th percentile of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p95_ms?: number | null;
}

export type UsageSplit = 'model' | 'key' | 'resolution' | 'status' | 'error';

interface UsageTotal {
  /** The price of jobs that are done; others cost nothing. */
  cost: string;
  /** The number of jobs that were created. */
  jobs: number;
  done: number;
  failed: number;
  /** The median of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p50_ms?: number | null;
  /** The 95th percentile of the time from the create of a done job to its image, in milliseconds; only with `include=times`. */
  p95_ms?: number | null;
}

export interface Verified {
  ok: boolean;
  /** True if everything was checked; false if 20 seconds were not enough. */
  complete: boolean;
  /** The number of checked items, by kind. */
  checked: Record<string, number>;
  /** The violations, at most a hundred per invariant. */
  violations: Violation[];
  /** How long it took. */
  ms: number;
}

interface Violation {
  invariant: string;
  detail: string;
}

export interface VoucherBatch {
  voucher_batch_id: string;
  name: string | null;
  /** The amount of each code. */
  amount: string;
  /** The number of codes. */
  count: number;
  /** How many accounts may redeem each code, once each. */
  uses: number;
  /** How often its codes were redeemed. */
  redeemed: number;
  /** When the codes were created. */
  created_at: string;
  /** When they stop working; null: never. */
  expires_at: string | null;
  /** When they were withdrawn. */
  withdrawn_at: string | null;
}

export interface VoucherRequest {
  /** The amount of each code; more than zero. */
  amount: string;
  /** The number of codes. */
  count: number;
  /** When they stop working; by default, never. */
  expires_at?: string | null;
  /** How many accounts may redeem each code, once each; 1 by default. */
  uses?: number;
  /** The name for operators. */
  name?: string;
}

export type WaitReason = KnownWaitReason | (string & {});

interface WaitingModel {
  model: string;
  jobs: number;
  reason: string;
}

interface WebhookHealth {
  delivered: number;
  failed: number;
  pending: number;
}

export interface WebhookSecret {
  secret: string;
  /** When it stops signing; null for the current one. */
  expires_at: string | null;
}

export interface WebhookTest {
  /** Counts from 1. */
  attempt: number;
  /** When it began. */
  at: string;
  duration_ms: number;
  /** The status of the answer; null if none came. */
  status: number | null;
  /** A word such as `timed_out` or `connect_refused`; null after a success. */
  failure: string | null;
  /** The beginning of the answer; null for callers who may not see it. */
  answer: string | null;
  /** The address it was sent to. */
  url: string;
  /** Empty for a bucket. */
  webhook_id: string;
  /** True if the receiver accepted it. */
  ok: boolean;
}
