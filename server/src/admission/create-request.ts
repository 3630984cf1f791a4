import type { Mode, ModelId, RequestedRatio, Resolution } from '../catalog/models.ts';

/** A validated create request. */
export interface CreateRequest {
  accountId: string;
  keyId: string;
  requestId: string;
  model: ModelId;
  mode: Mode;
  prompt: string;
  aspectRatio: RequestedRatio;
  resolution: Resolution;
  callbackUrl: string | null;
  /** Empty in mode `text`. */
  inputUrls: readonly string[];
  idempotency: { key: string; fingerprint: string } | null;
  /** Aborts when the client leaves. Made on first use, because most creates never need it. */
  signal: () => AbortSignal;
}

export type PricedRequest = CreateRequest & { priceMicros: bigint };
