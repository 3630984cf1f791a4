import type { InputImage } from './local-image.ts';
import type {
  AspectRatio,
  Background,
  BatchStatus,
  DeliveryStatus,
  EntryKind,
  FastTextGeneration,
  FastUrlGeneration,
  Job,
  JobResult,
  JobStatus,
  KnownErrorCode,
  Metadata,
  Mode,
  Model,
  ModelId,
  OutputFormat,
  Problem,
  Resolution,
  Retention,
  TextGeneration,
  UrlGeneration,
  UsageSplit,
} from './wire.ts';

/**
 * The wire contract: every name here is the name in the JSON, and `wire.ts` is made from the OpenAPI documents. Money
 * is a decimal string with two to six decimals (`"0.06"`), and times are ISO 8601 in UTC.
 */
export type {
  AspectRatio,
  Background,
  Balance,
  Batch,
  BatchCreated,
  BatchQuote,
  BatchStatus,
  BucketCredentials,
  ClientToken,
  ClientTokenCreated,
  Delivery,
  DeliveryAttempt,
  DeliveryDetail,
  DeliveryStatus,
  Endpoint,
  EndpointChange,
  EndpointChanged as ChangedEndpoint,
  EndpointDetail,
  EndpointUpdate,
  Entry,
  EntryKind,
  Eta,
  Event as AccountEvent,
  EventList,
  EventType,
  FastAspectRatio,
  FastTextGeneration as FastTextRequest,
  FastUrlGeneration as FastUrlRequest,
  FieldError,
  Job,
  JobCreated,
  JobErrorCode,
  JobEventType,
  JobQueue,
  JobResult,
  JobStatus,
  JobTags,
  KnownAspectRatio,
  KnownErrorCode as ProblemCode,
  KnownModelId,
  KnownResolution,
  Metadata,
  Mode,
  ModelId,
  NewClientToken as ClientTokenRequest,
  NewEndpoint,
  OpenedPayment,
  OriginGiven,
  OutputFormat,
  Payment,
  Quote,
  ReachedLimit,
  RedeemedVoucher,
  Resolution,
  Retention,
  SigningSecrets,
  TagCount,
  TextGeneration as TextRequest,
  Upload,
  UrlGeneration as UrlRequest,
  Usage,
  UsageCount,
  UsageSplit,
  WaitReason,
  WebhookSecret,
  WebhookTest,
} from './wire.ts';

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

export const outputFormats = ['png', 'jpeg', 'webp'] as const satisfies OutputFormat[];
export const backgrounds = ['auto', 'opaque', 'transparent'] as const satisfies Background[];

/** The body of a request that creates a job of any model; `models()` lists what each model supports. */
export interface AnyRequest extends Omit<UrlGeneration, 'aspect_ratio' | 'resolution' | 'input_images_urls'> {
  aspect_ratio: AspectRatio;
  resolution?: Resolution;
  parameters?: Record<string, ParameterValue>;
  input_images_urls?: string[];
}

interface KnownRequests {
  nb: FastTextGeneration | FastUrlGeneration;
  nb2: TextGeneration | UrlGeneration;
  pro: TextGeneration | UrlGeneration;
}

/** The body of a request for a job of a model. With `input_images_urls`, it goes to the image-to-image endpoint. */
export type JobRequest<Model extends ModelId = ModelId> = Model extends keyof KnownRequests
  ? KnownRequests[Model]
  : AnyRequest;

/** A request that can have local images. They are uploaded first, and deleted once the job has its copies. */
export type LocalRequest<Model extends ModelId = ModelId> = Omit<
  Extract<JobRequest<Model>, { input_images_urls?: string[] }>,
  'input_images_urls' | 'mask_url'
> & {
  /** 1 to 14 images, with at most 41,943,040 bytes in total. */
  input_images: InputImage[];
  /** A mask for the first image: the image changes only where the mask is white. */
  mask?: InputImage;
};

/** `done` and `failed` are final. */
export const jobStatuses = ['queued', 'processing', 'done', 'failed'] as const satisfies JobStatus[];

export type DoneJob = Job & {
  status: 'done';
  finished_at: string;
  result: JobResult & { image_url: string; thumbnail_url: string };
};

/** The form of downloaded images; unchanged by default. */
export interface ImageWish {
  /** The largest width in pixels. The image becomes WebP unless `output_format` names another format. */
  w?: 256 | 768 | 1600;
  /** Converts to this format. JPEG has no transparency, which becomes white. */
  output_format?: OutputFormat;
  /** The quality of JPEG and WebP, 0 to 100. Default 100. */
  output_compression?: number;
  /** The pattern for file names in an archive, with placeholders such as `{prompt}`. */
  names?: string;
}

/** Newest first. */
export type JobList = Page<Job>;

export interface JobQuery {
  /** The maximum number of characters that the answer contains of each prompt. */
  prompt_length?: number;
  /** The id of a job, or at least its first 4 characters; or the `Idempotency-Key` of the request that created it. */
  id?: string;
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
  status?: JobStatus;
  model?: ModelId;
  /** Words that must all be in the prompt. The last word may be incomplete. */
  q?: string;
  /** The id of a key, or `panel` for jobs created in the panel. */
  key_id?: string;
  batch_id?: string;
  aspect_ratio?: AspectRatio;
  resolution?: Resolution;
  /** A colour of the image, by its name. */
  colour?: string;
  tag?: string;
  starred?: boolean;
  /** The id of a job: selects jobs whose image looks similar. */
  similar_to?: string;
  /** Selects jobs whose image looks exactly like another image of the account. */
  duplicates?: boolean;
  /** Selects jobs that were created at or after `from`, and before `to`. */
  from?: string;
  to?: string;
  /** Selects jobs whose metadata contains all of these pairs. */
  metadata?: Metadata;
}

export interface TagChange {
  add?: string[];
  remove?: string[];
  /** Whether the jobs are starred; unchanged by default. */
  starred?: boolean;
}

export interface EventQuery {
  /** `next_cursor` of the previous answer, or `now`. By default, the events begin with the oldest that is stored. */
  cursor?: string;
  /** 1 to 100. */
  limit?: number;
}

export interface EntryQuery {
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
  kind?: EntryKind;
  include?: 'prompt';
}

/** One page. `next_cursor` is for the next call, and `null` on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export interface UsageQuery {
  /** A day in UTC such as `2026-11-01`. Default: 29 days before the last day. */
  from?: string;
  /** The last day, which is included. Default: today. */
  to?: string;
  group_by?: UsageSplit;
  /** Counts only jobs of this key. */
  key_id?: string;
  /** Includes how long images took and, for at most three days, the figures of each hour. */
  include?: 'times';
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

/** A problem document (RFC 9457), with the media type `application/problem+json`. */
export interface ProblemDocument extends Omit<Problem, 'code'> {
  code: KnownErrorCode;
}

export interface ModelInfo extends Omit<Model, 'parameters'> {
  /** The parameters that a request to this model may contain in its field `parameters`. */
  parameters: Record<string, ParameterSchema>;
}

export interface ModelList {
  /** The currency of every amount. It is only a label. */
  currency: string;
  retention: Retention;
  data: ModelInfo[];
}

/** One request of a batch, with the fields of a request that creates a job of this model and mode. */
export interface BatchRequest {
  model: ModelId;
  mode: Mode;
  body: AnyRequest;
}

/** `done` and `cancelled` are final. */
export const batchStatuses = [
  'processing',
  'cancelling',
  'done',
  'cancelled',
] as const satisfies BatchStatus[];

export interface BatchResult {
  /** The position of the job's request in the batch, from 0. */
  index: number;
  /** The job in its current state, ended or not. */
  job: Job;
}

export interface BatchQuery {
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
}
