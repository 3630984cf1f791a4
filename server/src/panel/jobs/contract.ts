import type { Static } from 'typebox';
import type { jobSchema } from '../../api/nouns/jobs/job-schemas.ts';
import type { presentQueue } from '../../api/screens/present-queue.ts';
import type { ScreenContract } from '../../api/screens/screens.ts';
import type { AccountContract } from '../../api/table.ts';
import type { ModelId, ParameterValue, Resolution } from '../../catalog/models.ts';

/** The playground. */
export interface JobCalls {
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

export type Job = Static<typeof jobSchema>;
export type JobQuery = NonNullable<AccountContract['GET /api/v1/jobs']['query']>;
export type JobChanges = ScreenContract['GET /panel/accounts/:account_id/jobs/changes']['answer'];
export type JobDetail = ScreenContract['GET /panel/accounts/:account_id/jobs/:job_id']['answer'];

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
