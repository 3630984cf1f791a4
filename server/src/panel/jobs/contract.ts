import type { presentQueue } from '../../api/screens/present-queue.ts';
import type { Mode, ModelId, ParameterValue, Resolution } from '../../catalog/models.ts';
import type { Page } from '../../http/cursor.ts';
import type { JobErrorCode, JobStatus } from '../../jobs/job.ts';
import type { PresentedQueue } from '../../jobs/queue-view.ts';
import type { Balance, EntryRow } from '../money/contract.ts';
import type { DeliveryDetail } from '../webhooks/contract.ts';

/** Jobs of an account: the list, live changes, single jobs and the playground. */
export interface JobCalls {
  'GET /panel/accounts/:account_id/jobs': { query: JobQuery; answer: Page<JobRow> };
  /**
   * Long poll: answers when jobs of the account change after `cursor`, or after 25 seconds. Without a cursor
   * it answers at once.
   */
  'GET /panel/accounts/:account_id/jobs/changes': { query: { cursor?: string }; answer: JobChanges };
  'GET /panel/accounts/:account_id/jobs/:job_id': { answer: JobDetail };
  /** `image/*`: the nth input of a job, as it is stored. */
  'GET /panel/accounts/:account_id/jobs/:job_id/inputs/:index': { answer: Blob };
  'GET /panel/accounts/:account_id/estimate': {
    query: {
      model: ModelId;
      resolution?: Resolution;
      count?: string;
      mode?: 'text' | 'url';
      aspect_ratio?: string;
    };
    answer: Estimate;
  };
  /** What the URL of an input leads to, small, as a `data:` address; `inputs_unusable` as a create with it would be. */
  'POST /panel/accounts/:account_id/input-preview': { body: { url: string }; answer: { picture: string } };
  /**
   * Takes the header `Idempotency-Key`; send one, so that a repeated click makes one job. Errors are those of
   * the public API.
   */
  'POST /panel/accounts/:account_id/jobs': {
    body: PlaygroundRequest;
    /** `job_ids`: the job and those of `more`, in order. */
    answer: { job_id: string; job_ids: string[]; replayed: boolean };
  };
}

export interface JobQuery {
  status?: JobStatus;
  model?: ModelId;
  /** A key id, or `panel` for jobs of the playground. */
  key_id?: string;
  /** Words of the prompt: all of them, the last also as the beginning of a word. */
  q?: string;
  aspect_ratio?: string;
  resolution?: Resolution;
  /** A colour of the picture, by its name. */
  colour?: string;
  tag?: string;
  batch_id?: string;
  starred?: 'true' | 'false';
  /** Creation times: at or after, before. */
  since?: string;
  until?: string;
  /** Pairs that the jobs have: `metadata[order]=1042`, any number of them. */
  [pair: `metadata[${string}]`]: string;
  /** An id, the beginning of one (4 characters or more), or an Idempotency-Key. */
  search?: string;
  cursor?: string;
  /** 1 to 100; 50 by default. */
  limit?: string;
}

/** What a small picture shows of its job. */
export interface JobThumb {
  job_id: string;
  status: JobStatus;
  /** The first 200 characters. */
  prompt: string;
  finished_at: string | null;
  /** Signed, valid for 24 hours; null unless `done`. */
  image_url: string | null;
  /** Base64; null until it is made, a moment after the image. */
  thumbhash: string | null;
  width: number | null;
  height: number | null;
}

export interface JobRow extends JobThumb {
  model: ModelId;
  mode: Mode;
  aspect_ratio: string;
  resolution: Resolution;
  price: string;
  /** Null: created in the playground. */
  key_id: string | null;
  created_at: string;
  started_at: string | null;
  error: string | null;
  error_code: JobErrorCode | null;
  /** The image was deleted, with the prompt and the inputs. */
  image_deleted: boolean;
  /** Pairs that were given with the request; empty without any. */
  metadata: Record<string, string>;
  /** In the order of the alphabet. */
  tags: string[];
  starred: boolean;
  /** The job whose picture it used, which it repeats, or from which it was edited; it may be gone. */
  origin: { job_id: string; kind: 'input' | 'again' | 'edit' } | null;
}

export interface JobChanges {
  /** Changed jobs as they are now, at most 100; `more` means to call again at once. */
  data: JobRow[];
  more: boolean;
  cursor: string;
  balance: Balance;
}

export interface JobDetail extends Omit<JobRow, 'prompt'> {
  prompt: string;
  requested_ratio: string;
  key: { key_id: string; name: string; hint: string } | null;
  /** The batch that it came with. */
  batch_id: string | null;
  bytes: number | null;
  /** When the link in `image_url` expires. */
  image_expires_at: string | null;
  notes: string[];
  callback_url: string | null;
  idempotency_key: string | null;
  attempts: number;
  /** Where it stands while it waits. */
  queue: PresentedQueue | null;
  cancellable: boolean;
  inputs: { index: number; url: string; width: number; height: number; bytes: number; media_type: string }[];
  /** In order of time. */
  timeline: {
    at: string;
    what: 'created' | 'started' | 'attempt_failed' | 'done' | 'failed';
    text: string;
  }[];
  /** For operators: the route of the last attempt, and what the image cost upstream; null for members. */
  upstream: { route: string | null; cost: string | null } | null;
  /** Attempts that made no image. `detail` is for operators and null for members. */
  failures: {
    attempt: number;
    at: string;
    route: string | null;
    kind: string;
    message: string;
    detail: string | null;
  }[];
  /**
   * The request as it would be sent to the public API. Input URLs are not stored, so `input_images_urls` is
   * absent.
   */
  request: {
    method: 'POST';
    path: string;
    body: Record<string, unknown> & { parameters?: Record<string, ParameterValue> };
  };
  /** The Job resource as `GET /jobs/{job_id}` of the public API answers it. */
  response: Record<string, unknown>;
  entries: EntryRow[];
  /** Webhook deliveries of this job, newest first. */
  deliveries: DeliveryDetail[];
  /** Where it comes from, the nearest first and at most 20; and what came from it, at most 50, each after its origin. */
  lineage: { ancestors: LineageJob[]; descendants: LineageJob[] };
}

/** The first 2,000 characters of its prompt. */
export type LineageJob = JobRow;

export interface PlaygroundRequest {
  model: ModelId;
  prompt: string;
  aspect_ratio: string;
  /** Of models with `selectable`. */
  resolution?: Resolution;
  parameters?: Record<string, ParameterValue>;
  /** Up to 16 pairs, with which the job is found. */
  metadata?: Record<string, string>;
  /** The job that this one repeats, or from which it was edited. Without it, the job whose picture is an input. */
  origin?: { job_id: string; kind: 'again' | 'edit' };
  /** None: text to image. */
  inputs?: PlaygroundInput[];
  callback_url?: string | null;
  /** Further images of the same prompt, ratio and inputs, up to 7. All are accepted, or none. */
  more?: PlaygroundVariant[];
}

export type PlaygroundVariant = Pick<PlaygroundRequest, 'model' | 'resolution' | 'parameters'>;

/** A URL, or what a job of this account has: its result, or its nth input, counted from 0. */
export type PlaygroundInput = { url: string } | { job_id: string; input?: number };

export interface Estimate {
  /** Price of one job. */
  price: string;
  /** Price of all. */
  total: string;
  available: string;
  /** What would be left; may be negative. */
  available_after: string;
  /** Whether a create would be accepted now, decided as `dry_run=true` of the public API is. */
  accepted: boolean;
  /** Why it would be refused, all of it; in the words of the refusal. */
  reasons: { code: string; detail: string }[];
}

/** Unfinished jobs. */
export type QueueCounts = ReturnType<typeof presentQueue>;
