import type { InputImage } from './local-image.ts';

/**
 * The wire contract: every name here is the name in the JSON. Money is a decimal string with two to six
 * decimals (`"0.06"`), times are ISO 8601 in UTC.
 */

/** A value that is known, or another one: an installation may have models of its own. */
type Open<Known extends string> = Known | (string & {});

/** Every installation starts with these: `nb` is fast, `nb2` of higher quality, `pro` top tier. */
export type KnownModelId = 'nb' | 'nb2' | 'pro';
export type ModelId = Open<KnownModelId>;

/** `text`: from a prompt alone. `url`: from a prompt and images fetched from URLs. */
export type Mode = 'text' | 'url';

export type KnownResolution = '1K' | '2K' | '4K';
export type Resolution = Open<KnownResolution>;

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
/** `auto`: the first input's ratio, or the provider's choice where there is no input. */
export type KnownAspectRatio = FastAspectRatio | '1:4' | '1:8' | '4:1' | '8:1' | 'auto';
export type AspectRatio = Open<KnownAspectRatio>;

export type ParameterValue = string | number | boolean;

/** JSON Schema of one parameter of a model. */
export interface ParameterSchema {
  type: 'integer' | 'number' | 'string' | 'boolean';
  title?: string;
  description?: string;
  default?: ParameterValue;
  enum?: ParameterValue[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/**
 * Pairs that you give a job, such as an order or a customer; jobs are found by them. Up to 16, keys of at most 64
 * characters, values of at most 512.
 */
export type Metadata = Record<string, string>;

/** The job that a request repeats, or from which it was edited: one of the same account. */
export interface OriginGiven {
  job_id: string;
  kind: 'again' | 'edit';
}

export const outputFormats = ['png', 'jpeg', 'webp'] as const;
export type OutputFormat = (typeof outputFormats)[number];
export const backgrounds = ['auto', 'opaque', 'transparent'] as const;
export type Background = (typeof backgrounds)[number];

/** How the result is to be. */
export interface OutputFields {
  /** `png` unless given. */
  output_format?: OutputFormat;
  /** Of `jpeg` and `webp`: how much of the quality stays, 0 to 100, which it is unless given. */
  output_compression?: number;
  /** `transparent` takes `png` or `webp`, and a model that names it in `backgrounds`. */
  background?: Background;
}

/** Body of `POST /nb/text-generations`. */
export interface FastTextRequest extends OutputFields {
  /** 1 to 32,768 characters. */
  prompt: string;
  aspect_ratio: FastAspectRatio;
  /** Called once the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
  metadata?: Metadata;
  /** A time in ISO 8601, within two days, at which the job fails unless it is done. */
  deadline?: string;
  /** The same in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  origin?: OriginGiven;
}

/** Body of `POST /nb/url-generations`. */
export interface FastUrlRequest extends FastTextRequest {
  /** 1 to 14 URLs, 41,943,040 bytes over all images. */
  input_images_urls: string[];
  /** A mask of the first image, in its shape: only what is white in it changes. For models whose `masks` is true. */
  mask_url?: string;
}

/** Body of `POST /nb2/text-generations` and `POST /text-generations`. */
export interface TextRequest extends OutputFields {
  /** 1 to 32,768 characters. */
  prompt: string;
  aspect_ratio: KnownAspectRatio;
  /** `1K` unless given. */
  resolution?: KnownResolution;
  /** Called once the job is done or failed, instead of the account's webhook. */
  callback_url?: string | null;
  metadata?: Metadata;
  /** A time in ISO 8601, within two days, at which the job fails unless it is done. */
  deadline?: string;
  /** The same in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  origin?: OriginGiven;
}

/** Body of `POST /nb2/url-generations` and `POST /url-generations`. */
export interface UrlRequest extends TextRequest {
  /** 1 to 14 URLs, 41,943,040 bytes over all images. */
  input_images_urls: string[];
  /** As of `FastUrlRequest`. */
  mask_url?: string;
}

/** Body of a create of any model; `models()` tells what each takes. */
export interface AnyRequest extends OutputFields {
  prompt: string;
  aspect_ratio: AspectRatio;
  resolution?: Resolution;
  parameters?: Record<string, ParameterValue>;
  input_images_urls?: string[];
  mask_url?: string;
  callback_url?: string | null;
  metadata?: Metadata;
  /** A time in ISO 8601, within two days, at which the job fails unless it is done. */
  deadline?: string;
  /** The same in seconds from now, instead of `deadline`. */
  deadline_seconds?: number;
  origin?: OriginGiven;
}

interface KnownRequests {
  nb: FastTextRequest | FastUrlRequest;
  nb2: TextRequest | UrlRequest;
  pro: TextRequest | UrlRequest;
}

/** What a model takes. A request with `input_images_urls` goes to the model's image-to-image endpoint. */
export type JobRequest<Model extends ModelId = ModelId> = Model extends keyof KnownRequests
  ? KnownRequests[Model]
  : AnyRequest;

/** A request with images that may be local, which are uploaded first and deleted once the job has its copies. */
export type LocalRequest<Model extends ModelId = ModelId> = Omit<
  Extract<JobRequest<Model>, { input_images_urls?: string[] }>,
  'input_images_urls' | 'mask_url'
> & {
  /** 1 to 14 images, 41,943,040 bytes over all of them. */
  input_images: InputImage[];
  /** A mask of the first: only what is white in it changes. */
  mask?: InputImage;
};

/** An image on the server, for jobs of the same account. */
export interface Upload {
  upload_id: string;
  /** Goes into `input_images_urls`. */
  url: string;
  width: number;
  height: number;
  bytes: number;
  expires_at: string;
}

/** The answer to a create. A replay with the same `Idempotency-Key` gets the first answer again. */
export interface JobCreated {
  job_id: string;
  status: 'queued';
  /** Path for polling: `/api/v1/jobs/<job_id>`. */
  status_url: string;
  /** The job when the answer was sent; only with `waitSeconds`. */
  job?: Job;
}

/** `done` and `failed` are final. */
export const jobStatuses = ['queued', 'processing', 'done', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export type JobErrorCode =
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

export interface JobResult {
  /** Valid for 24 hours from this answer; every poll gives a new one. Needs no API key. Missing once the image was deleted. */
  image_url?: string;
  width: number;
  height: number;
  media_type: 'image/png' | 'image/jpeg' | 'image/webp';
  bytes: number;
  /** The image as WebP, at most 256 pixels wide. `image_url` takes `w=256`, `w=768` and `w=1600`. */
  thumbnail_url?: string;
  /** ThumbHash in base64, to show while the image loads; null for a moment after the image was made. */
  thumbhash: string | null;
  /** How the image was made to fit, if necessary. */
  notes?: string[];
  /** When the image was deleted, with the prompt and the inputs; only then. */
  image_deleted_at?: string;
}

/** Seconds until a job ends, estimated from how long jobs took lately and from all that wait. */
export interface Eta {
  /** As likely earlier as later. */
  p50: number;
  /** Hardly ever later. */
  p95: number;
}

export type WaitReason =
  | 'turn'
  | 'account_limit'
  | 'route_full'
  | 'route_resting'
  | 'paced'
  | 'paused'
  | 'retry';

/** What a create would cost and bring now. */
export interface Quote {
  price: string;
  /** Pixels; null for `auto`. */
  width: number | null;
  height: number | null;
  /** As far as that is known without fetching inputs. */
  accepted: boolean;
  /** The codes with which it would be refused. */
  reasons: string[];
  /** The reasons for people; null when accepted. */
  detail: string | null;
  eta: Eta | null;
}

/** Where a job stands that waits. */
export interface JobQueue {
  /** 1 is next. */
  position: number;
  /** Jobs of the same model, of all accounts, that wait and begin before it. */
  ahead: number;
  /** Null when nobody can say, as when the model is paused without an end. */
  eta: Eta | null;
  reason: WaitReason;
  /** When that reason is expected to end, where it is known. */
  until?: string;
  /** The attempt to come; only of `retry`. */
  attempt?: number;
}

export interface Job extends OutputFields {
  job_id: string;
  status: JobStatus;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Present only when `status` is `done`. */
  result: JobResult | null;
  /** A sentence for people, only when `status` is `failed`. */
  error: string | null;
  model: ModelId;
  mode: Mode;
  /** `auto` until the ratio is chosen. */
  aspect_ratio: AspectRatio;
  resolution: Resolution;
  /** Reserved when the job was accepted; captured when it is done, released when it failed. */
  price: string;
  error_code: JobErrorCode | null;
  prompt: string;
  /** Those of the request and the defaults of the others; only of models that have any. */
  parameters?: Record<string, ParameterValue>;
  /** As it was given with the request; only of jobs that have any. */
  metadata?: Metadata;
  /** When it fails unless it is done; only of jobs that were given one. */
  deadline?: string;
  /** Only while it waits, and not in lists. */
  queue?: JobQueue;
  /** What was put on it; only in lists: `listJobs`. `changeTags(id, {})` reads those of one job. */
  tags?: string[];
  starred?: boolean;
  /** The key that made it, null when a person did, in the panel; only in lists. */
  key_id?: string | null;
  /** The job that it comes from; only of jobs that have one. `input`: its picture is an input. It may be gone. */
  origin?: { job_id: string; kind: 'input' | 'again' | 'edit' };
  /** Links like `image_url` to the stored input images. Empty for jobs from text. */
  input_images_urls: string[];
  /** A link to the mask; only of jobs that have one. */
  mask_url?: string;
}

export type DoneJob = Job & {
  status: 'done';
  finished_at: string;
  result: JobResult & { image_url: string; thumbnail_url: string };
};

/** Newest first. */
export type JobList = Page<Job>;

export interface JobQuery {
  /** Shows at most so many characters of each prompt. */
  prompt_length?: number;
  /** The id of a job, or how it begins (4 characters or more); or the `Idempotency-Key` that it was created with. */
  search?: string;
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
  status?: JobStatus;
  model?: ModelId;
  /** Words of the prompt: all of them, the last also as the beginning of a word. */
  q?: string;
  /** Of a key, or `panel`. */
  key_id?: string;
  batch_id?: string;
  aspect_ratio?: AspectRatio;
  resolution?: Resolution;
  /** A colour of the picture, by its name. */
  colour?: string;
  tag?: string;
  starred?: boolean;
  /** Created at this time or later, and before. */
  from?: string;
  to?: string;
  /** Only jobs with these pairs. */
  metadata?: Metadata;
}

export interface JobTags {
  job_id: string;
  /** In the order of the alphabet; at most 20, of 50 characters each. */
  tags: string[];
  starred: boolean;
}

export interface TagChange {
  add?: string[];
  remove?: string[];
  /** Leaves the star as it is when left out. */
  starred?: boolean;
}

export interface TagCount {
  tag: string;
  jobs: number;
}

export interface AccountEvent {
  /** The `webhook-id` of its deliveries. */
  id: string;
  type: JobEventType;
  /** When the job ended. */
  timestamp: string;
  data: Job;
}

/** Oldest first. */
export interface EventList {
  data: AccountEvent[];
  /** The next call's `after`, even when there are no new events. */
  next_cursor: string;
  has_more: boolean;
}

export interface EventQuery {
  /** `next_cursor` of the previous answer, or `now`; all stored events when left out. */
  after?: string;
  /** 1 to 100. */
  limit?: number;
}

export interface Balance {
  balance: string;
  /** Reserved for jobs that have not finished. */
  reserved: string;
  /** `balance` minus `reserved`: what can be spent now. */
  available: string;
}

export interface ClientTokenRequest {
  /** Seconds, at most 3600; 600 when left out. */
  expires_in?: number;
  /** Of those that the key may use; all of them when left out. */
  models?: ModelId[];
  /** What its jobs may cost together, failed ones excepted; the balance when left out. */
  spend_cap?: string;
  /** The only origin whose pages may use it, such as `https://app.example.com`. */
  origin?: string;
}

/** What a browser may hold instead of an API key. */
export interface ClientToken {
  token_id: string;
  /** The key that made it, with which it ends. */
  key_id: string;
  created_at: string;
  expires_at: string;
  models: string[] | null;
  spend_cap: string | null;
  origin: string | null;
}

/** With the token, which is shown once. */
export interface ClientTokenCreated extends ClientToken {
  token: string;
}

export type EntryKind = 'credit' | 'debit' | 'reserve' | 'capture' | 'release';

/** One change of the balance. */
export interface Entry {
  entry_id: string;
  kind: EntryKind;
  amount: string;
  /** The change of `balance`, with its sign. */
  balance_change: string;
  reserved_change: string;
  /** Right after it; `null` in a list of one kind. */
  balance_after: string | null;
  reserved_after: string | null;
  job_id: string | null;
  reason: string | null;
  /** What others call the payment; only of entries that have one. */
  reference?: string;
  /** The `entry_id` that a debit takes back; only where it does. */
  corrects?: string;
  created_at: string;
  /** How the prompt of its job begins; only with `include: 'prompt'`. */
  prompt?: string | null;
}

export interface EntryQuery {
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
  kind?: EntryKind;
  include?: 'prompt';
}

/** One page; the cursor is for the next call and `null` on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export interface UsageQuery {
  /** A day in UTC such as `2026-11-01`; 29 days before the last when left out. */
  from?: string;
  /** The last day, included; today when left out. */
  to?: string;
  by?: UsageSplit;
  /** Only jobs of this key. */
  key_id?: string;
  /** How long images took as well, and the hours of three days or fewer. */
  include?: 'times';
}

export type UsageSplit = 'model' | 'key' | 'resolution' | 'status' | 'error';

export interface UsageCount {
  /** Of jobs that are done; others cost nothing. */
  cost: string;
  jobs: number;
  done: number;
  failed: number;
}

export interface Usage {
  from: string;
  to: string;
  by: UsageSplit;
  timezone: 'UTC';
  /** The largest cost first. `id` is a model, a key, or `panel`. */
  series: (UsageTimes & {
    id: string;
    name: string;
    cost: string;
    jobs: number;
    done?: number;
    failed?: number;
  })[];
  /** Every day, also those without jobs; `values` in the order of `series`. */
  days: (UsageCount & UsageTimes & { day: string; values: UsageCount[] })[];
  /** Only with `include: 'times'`, where the days are three or fewer. */
  hours?: (UsageCount & UsageTimes & { hour: string; values: UsageCount[] })[];
  total: UsageCount & UsageTimes;
}

/** Milliseconds from the create to the image, only with `include: 'times'`; null without an image. */
export interface UsageTimes {
  p50_ms?: number | null;
  p95_ms?: number | null;
}

export type JobEventType = 'job.done' | 'job.failed';
export type EventType = JobEventType | 'batch.completed' | 'balance.low' | 'spend_limit.near';

/** One of the addresses where the events of the account go. */
export interface Endpoint {
  account_id: string;
  endpoint_id: string;
  /** The one that `default` stands for. It signs with the secret of the account. */
  is_default: boolean;
  url: string;
  /** The types of events that it gets; `null` for every end of a job. */
  events: EventType[] | null;
  enabled: boolean;
  created_at: string;
  /** Since when every attempt has failed; `null` while it works. */
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: 'gone' | 'failing' | 'manual' | null;
  secret_hint: string;
  /** Of the last 7 days. */
  health: { delivered: number; failed: number; pending: number };
}

export interface EndpointDetail extends Endpoint {
  /** The last 72 hours, oldest first; `p50_ms` of the attempts that were taken. */
  hours: { hour: string; attempts: number; failed: number; p50_ms: number | null }[];
}

export interface ChangedEndpoint extends Endpoint {
  /** What waited for it, and is cancelled. */
  cancelled_deliveries: number;
}

/** Of a bucket: what may put objects. Never shown again. */
export interface BucketCredentials {
  access_key_id: string;
  secret_access_key: string;
}

export interface NewEndpoint {
  /** `https://…`, or `s3://bucket/prefix?region=…` for a bucket to which results are copied. */
  url: string;
  /** Of a bucket. A change without them leaves those before. */
  credentials?: BucketCredentials;
  /** Every end of a job when left out or `null`; other types only where they are named. */
  events?: EventType[] | null;
}

/** What is left out becomes what a new endpoint has. */
export interface EndpointUpdate extends NewEndpoint {
  /** `true` when left out. */
  enabled?: boolean;
}

/** What is not named stays. */
export interface EndpointChange extends Partial<NewEndpoint> {
  enabled?: boolean;
}

/** What signs for an endpoint. */
export interface SigningSecrets {
  account_id: string;
  /** `null` where the account has no default endpoint: its secret signs for `callback_url`s. */
  endpoint_id: string | null;
  /** All that sign now, the new one first. */
  secrets: WebhookSecret[];
}

export interface WebhookSecret {
  secret: string;
  /** When it stops signing; `null` for the current one. */
  expires_at: string | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** One event on its way to one address. */
export interface Delivery {
  delivery_id: string;
  /** The `webhook-id`. */
  event_id: string;
  type: EventType;
  /** `null` where the event is about no job. */
  job_id: string | null;
  /** `null` for a `callback_url`. */
  endpoint_id: string | null;
  url: string;
  status: DeliveryStatus;
  attempts: number;
  created_at: string;
  next_attempt_at: string | null;
  last_status_code: number | null;
  last_failure: string | null;
  /** Every attempt, the first one first. */
  history: DeliveryAttempt[];
}

export interface DeliveryDetail extends Delivery {
  /** As it would be sent now, JSON text. */
  body: string;
}

export interface DeliveryAttempt {
  attempt: number;
  at: string;
  duration_ms: number;
  /** Of the response; `null` without one. */
  status: number | null;
  /** A word such as `timed_out`; `null` after a success. */
  failure: string | null;
  answer: string | null;
}

export interface WebhookTest extends DeliveryAttempt {
  url: string;
  webhook_id: string;
  /** It was taken. */
  ok: boolean;
}

export interface DeliveryQuery {
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
  status?: DeliveryStatus;
  job_id?: string;
  endpoint_id?: string;
  event_id?: string;
}

export interface ModelInfo {
  id: ModelId;
  name: string;
  description: string;
  modes: Mode[];
  aspect_ratios: AspectRatio[];
  /** With the price of one image each, and its size in each ratio; smallest first. */
  resolutions: {
    resolution: Resolution;
    price: string;
    sizes: Record<string, { width: number; height: number }>;
  }[];
  /** Whether it takes the field `resolution`. */
  selectable: boolean;
  max_input_images: number;
  /** Characters. */
  max_prompt_length: number;
  /** What may stand in the field `parameters`. */
  parameters: Record<string, ParameterSchema>;
  /** What `output_format` and `background` take. */
  formats: OutputFormat[];
  backgrounds: Background[];
  /** Whether it takes `mask_url`. */
  masks: boolean;
  /** While paused, creates get `503`; jobs already accepted are kept. */
  paused: boolean;
  pause_reason: string | null;
  /** When it goes on by itself; null when nobody has said. */
  paused_until: string | null;
}

/** For how many days what your account has is kept, from the end of the job. */
export interface Retention {
  jobs_days: number;
  pictures_days: number;
  prompts_days: number;
  inputs_days: number;
  deliveries_days: number;
  idempotency_days: number;
}

export interface ModelList {
  /** Of every amount; a label only. */
  currency: string;
  retention: Retention;
  data: ModelInfo[];
}

export type ProblemCode =
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
  | 'webhook_secret_unreadable'
  | 'link_invalid'
  | 'image_gone'
  | 'range_not_satisfiable'
  | 'too_many_requests'
  | 'origin_refused'
  | 'scope_required'
  | 'address_refused'
  | 'storage_unavailable'
  | 'project_paused'
  | 'model_paused'
  | 'no_route'
  | 'database_unavailable'
  | 'overloaded'
  | 'shutting_down'
  | 'internal';

export interface FieldError {
  /** JSON pointer into the body, such as `/aspect_ratio`. */
  pointer: string;
  detail: string;
  /** The reason, where there are several, such as why an input could not be used. */
  code?: string;
}

/** RFC 9457, media type `application/problem+json`. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  /** A sentence. */
  detail: string;
  code: ProblemCode;
  request_id: string;
  /** On validation failures. */
  errors?: FieldError[];
  /** On `insufficient_funds` and `spend_limit_reached`. */
  available?: string;
  /** On `insufficient_funds` and `spend_limit_reached`. */
  required?: string;
  /** On `spend_limit_reached`, `open_jobs_limit_reached` and `input_limit_reached`. */
  limit?: ReachedLimit;
  /** On `scope_required`: one of these is needed. */
  scopes?: string[];
}

export interface ReachedLimit {
  of: 'account' | 'key' | 'client_token';
  per: 'hour' | 'day' | 'month' | 'total' | 'open' | 'waiting' | 'input';
  /** A decimal amount; a number of jobs where `per` is `open` or `waiting`, of bytes a day where it is `input`. */
  most: string;
  /** ISO 8601; null where the limit never begins anew. */
  resets_at: string | null;
}
