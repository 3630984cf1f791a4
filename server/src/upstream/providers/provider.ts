import type { Readable } from 'node:stream';
import type { Use } from '../prices/rates.ts';

/** The contract between jobs and image makers. Each provider has a folder, and all pass the same conformance test. */
export interface Provider {
  readonly id: string;
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly capabilities: Capabilities;
  /** Sentences for the operator about settings that work, but perhaps not as intended. They are logged at startup. */
  readonly warnings?: readonly string[];
  /** Whether a parameter may set a field of the upstream's request. False for fields that the adapter fills. */
  takesField(path: string): boolean;
  /** The ratio that suits a prompt, for `auto`; undefined for no preference. */
  suggestRatio?(prompt: string): string | undefined;
  /**
   * Rethrows the signal's reason and errors of an input's `read`. Other errors count as `bad_response`.
   * @throws ProviderError
   */
  generate(request: ImageRequest, context: RunContext): Promise<MadeImage>;
  /** Checks whether the upstream accepts our credentials. Makes no image and costs nothing. */
  check(signal: AbortSignal): Promise<Health>;
  /** Cancels the request whose id `onSubmitted` reported. */
  cancel?(remoteId: string): Promise<void>;
  [Symbol.asyncDispose]?(): Promise<void>;
}

export interface Capabilities {
  ratios: readonly string[];
  resolutions: readonly string[];
  /** The fewest inputs, 1 if the model only changes images. Default: 0. */
  minInputs?: number;
  /** True if the upstream receives a width and a height, so that ratios and resolutions can have any name. */
  anySize?: boolean;
  maxInputs: number;
  /** Whether `generate` can resume a submitted request by its `remoteId`. */
  resumable: boolean;
  /** True for models that need a mask, and change only the part under it. */
  needsMask?: boolean;
  /** The `ImageOptions` for which the provider's request has fields; none by default. */
  options?: readonly (keyof ImageOptions)[];
  /** True if our own code draws a PNG of exactly the requested pixels, which needs no decoding for safety. */
  exact?: boolean;
}

export interface ImageRequest {
  jobId: string;
  prompt: string;
  /** Never `auto`, which is resolved before the call. */
  aspectRatio: string;
  resolution: string;
  /** The exact pixels promised to the client. */
  width: number;
  height: number;
  inputs: readonly InputImage[];
  /** Values for the upstream's request by place, only at places that `takesField` accepts. */
  fields: Readonly<Record<string, unknown>>;
  /** Only options that the route's capabilities name. Jobs with other options go to another route. */
  options?: ImageOptions;
}

/** Options that only some upstreams have. Darkroom requests PNG from every upstream, and encodes the results itself. */
export interface ImageOptions {
  background?: 'transparent' | 'opaque' | 'auto';
  /** A mask of the first input's size. Its transparent part is redrawn. */
  mask?: InputImage;
}

export interface InputImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  read(): Promise<Readable>;
}

export interface MadeImage {
  bytes: Uint8Array;
  /** Notes for the client about how the image was made, such as a crop. */
  notes?: readonly string[];
}

/** An upstream's report of what a request used. No vendor that we support reports amounts of money. */
export interface ToldCharge {
  used?: Use | undefined;
  usage?: unknown;
  /** True if this was reported before the work ended. If the work then fails, it is not charged. */
  isEarly?: boolean;
}

/** The currency in which vendors publish rates and send bills. */
export const reportedCurrency = 'USD';

export interface RunContext {
  /** The only deadline. It aborts when the attempt times out, its lease is lost or the process stops. */
  signal: AbortSignal;
  /** Counts from 1. */
  attempt: number;
  /** Set if an earlier attempt submitted the request: resume it, or the image is paid for twice. */
  remoteId?: string;
  /**
   * True if an earlier attempt got an answer that cannot be used, or ran on another route: its request, which may still
   * be found at the upstream, is not this attempt's.
   */
  startsAnew?: boolean;
  /** Records the remote id. Await it between submitting and polling, so that the id survives a crash. */
  onSubmitted(remoteId: string): Promise<void>;
  /** Call as soon as the use is known, before anything can fail, because an answer without an image is paid for too. */
  onCharge(charge: ToldCharge): void;
}

export interface Health {
  ok: boolean;
  /** The kind of failure, if the upstream or the connection caused it. */
  kind?: FailureKind;
  /** A sentence for the operator, without credentials. */
  detail?: string;
}

export const failureKinds = [
  'invalid_input',
  'unsupported',
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
  /** The upstream's minimum wait, if it gave one. */
  readonly retryAfterMs: number | undefined;
  /** Details for operators: status, upstream code, start of the answer. Never a credential, never for clients. */
  readonly detail: string | undefined;
  /**
   * Whether the request was sent, now or by an earlier attempt. If it was, the upstream may have made and billed the
   * image, for example before it forgot the request.
   */
  readonly sent: boolean;
  /** Whether the request is still running upstream, so that the next attempt resumes its `remoteId`. */
  readonly resumable: boolean;
  /**
   * The failure of the route, if the vendor's documentation says that status and code prove it. Only a proven failure
   * opens a circuit immediately.
   */
  readonly proven: FailureKind | undefined;

  /** `message` is a sentence for the client. */
  constructor(kind: FailureKind, message: string, info: FailureInfo = {}) {
    super(message, { cause: info.cause });
    this.kind = kind;
    this.retryAfterMs = info.retryAfterMs;
    this.detail = info.detail;
    this.sent = info.sent ?? false;
    this.resumable = info.resumable ?? false;
    this.proven = info.proven;
  }
}

export interface FailureInfo {
  retryAfterMs?: number | undefined;
  detail?: string | undefined;
  sent?: boolean;
  resumable?: boolean;
  proven?: FailureKind | undefined;
  cause?: unknown;
}
