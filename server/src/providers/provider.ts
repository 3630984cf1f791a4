import type { Readable } from 'node:stream';

/** The contract between jobs and whatever makes images. One folder per provider; all pass one conformance test. */
export interface Provider {
  /** `sketch`, `gemini`, … as in the configuration. */
  readonly id: string;
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly capabilities: Capabilities;
  /** Sentences for the operator about settings that work, but not as they may be meant. Logged at the start. */
  readonly warnings?: readonly string[];
  /** The ratio that suits a prompt whose client asked for `auto`; undefined for no opinion. */
  suggestRatio?(prompt: string): string | undefined;
  /**
   * Makes one image or throws `ProviderError`; any other error is a defect and counts as `bad_response`, but for those
   * of an input's `read`, which pass through, and the signal's own reason.
   */
  generate(request: ImageRequest, context: RunContext): Promise<MadeImage>;
  /** Whether the upstream answers and accepts our credentials. Never makes an image, never costs money. */
  check(signal: AbortSignal): Promise<Health>;
  /** Tells the upstream to stop work on what `onSubmitted` reported. */
  cancel?(remoteId: string): Promise<void>;
  [Symbol.asyncDispose]?(): Promise<void>;
}

export interface Capabilities {
  ratios: readonly string[];
  resolutions: readonly string[];
  /** 0 where the model makes images from text alone. */
  maxInputs: number;
  /** `generate` can take up a submitted request again by its `remoteId`. */
  resumable: boolean;
  /** Our own code draws the image: a PNG of exactly the pixels asked for, which decoding again would not make safer. */
  exact?: boolean;
}

export interface ImageRequest {
  jobId: string;
  prompt: string;
  /** Never `auto`: it is resolved before a provider is asked. */
  aspectRatio: string;
  resolution: string;
  /** Exact pixels promised to the client. */
  width: number;
  height: number;
  /** In the order the client gave them. */
  inputs: readonly InputImage[];
}

/** An image fetched from a client's URL: upright, re-encoded, without metadata. */
export interface InputImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  read(): Promise<Readable>;
}

export interface MadeImage {
  /** An encoded PNG, JPEG or WebP, as the upstream gave it. */
  bytes: Uint8Array;
  /** What the client should know of how the image was made, such as a crop. */
  notes?: readonly string[];
}

export interface RunContext {
  /** The one deadline: aborted when the attempt's time is over, its lease is lost or the process must go. */
  signal: AbortSignal;
  /** Which try of the job this is, from 1. */
  attempt: number;
  /** Set when an earlier attempt submitted the request: take it up again, do not pay twice. */
  remoteId?: string;
  /** Awaited between submitting and polling, so that the id survives a crash. */
  onSubmitted(remoteId: string): Promise<void>;
}

export interface Health {
  ok: boolean;
  /** A sentence for the operator; never contains a credential. */
  detail?: string;
}

export const failureKinds = [
  'invalid_input',
  'safety_blocked',
  'no_image',
  'auth',
  'quota',
  'rate_limited',
  'model_not_found',
  'unavailable',
  'timeout',
  'network',
  'bad_response',
  'cancelled',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: FailureKind;
  /** When the upstream said so: not before this many milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** For operators: status, upstream code, the start of the answer. Never shown to clients, never a credential. */
  readonly detail: string | undefined;
  /** The request had gone out when it failed: a synchronous upstream may have made, and billed, the image. */
  readonly sent: boolean;
  /** What `onSubmitted` reported still stands upstream: the next attempt takes its `remoteId`; otherwise forget it. */
  readonly resumable: boolean;

  /** `message` is a sentence that a client may read. */
  constructor(kind: FailureKind, message: string, info: FailureInfo = {}) {
    super(message, { cause: info.cause });
    this.kind = kind;
    this.retryAfterMs = info.retryAfterMs;
    this.detail = info.detail;
    this.sent = info.sent ?? false;
    this.resumable = info.resumable ?? false;
  }
}

export interface FailureInfo {
  retryAfterMs?: number | undefined;
  detail?: string | undefined;
  sent?: boolean;
  resumable?: boolean;
  cause?: unknown;
}
