import type { AnyRequest, Job, Mode, ModelId } from './types.ts';

/** One request of a batch: what a create of that model and mode takes. */
export interface BatchRequest {
  model: ModelId;
  mode: Mode;
  body: AnyRequest;
}

/** `done` and `cancelled` are final. */
export const batchStatuses = ['processing', 'cancelling', 'done', 'cancelled'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** The answer to a create. A replay with the same `Idempotency-Key` gets the same batch again. */
export interface BatchCreated {
  batch_id: string;
  status: BatchStatus;
  /** Path for polling: `/api/v1/batches/<batch_id>`. */
  status_url: string;
  /** How many it has. */
  jobs: number;
  /** Of all its jobs, reserved when it was created. */
  price: string;
}

/** What a create would cost now. */
export interface BatchQuote {
  jobs: number;
  /** Of all of them. */
  price: string;
  /** As far as that is known without fetching inputs. */
  accepted: boolean;
  /** The codes with which it would be refused. */
  reasons: string[];
  /** The reasons for people; null when accepted. */
  detail: string | null;
}

export interface Batch {
  batch_id: string;
  status: BatchStatus;
  created_at: string;
  /** When its last job ended. */
  finished_at: string | null;
  /** How many it has. */
  jobs: number;
  /** How many of them are in which state; cancelled ones have failed. */
  counts: { queued: number; processing: number; done: number; failed: number };
  /** Of all its jobs, reserved when it was created. */
  price: string;
  /** Captured so far, for jobs that are done. */
  charged: string;
}

export interface BatchResult {
  /** The place of its request, from 0. */
  index: number;
  /** As it is now, whether it has ended or not. */
  job: Job;
}

export interface BatchQuery {
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
}
