import type { Mode, Model, RequestedRatio, Resolution } from '../catalog/models.ts';
import type { Job } from '../jobs/job.ts';

/** A validated create request. */
export interface CreateRequest {
  accountId: string;
  keyId: string;
  requestId: string;
  model: Model;
  mode: Mode;
  prompt: string;
  aspectRatio: RequestedRatio;
  resolution: Resolution;
  /** With the defaults of those that were left out. */
  parameters: Job['parameters'];
  callbackUrl: string | null;
  /** Empty in mode `text`. */
  inputUrls: readonly string[];
  idempotency: { key: string; fingerprint: string } | null;
  /** Aborts when the client leaves. Made on first use, because most creates never need it. */
  signal: () => AbortSignal;
}

export type PricedRequest = CreateRequest & { priceMicros: bigint };
