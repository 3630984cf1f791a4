import type { StoredMediaType } from '../images/media-types.ts';
import type { Output } from '../images/output.ts';
import type {
  AspectRatio,
  Mode,
  ModelId,
  ParameterValue,
  RequestedRatio,
  Resolution,
} from '../upstream/catalog/models.ts';
import type { FailureKind } from '../upstream/providers/provider.ts';

/**
 * The states, and the actions that move a job between them (the diagram of ARCHITECTURE.md; the database enforces it):
 *
 *   queued ──claim──▶ processing ──finish──▶ done
 *     │                 │  ▲ └──finish, cancel──▶ failed
 *     │                 └──┘ retry, or claimed again after a lost lease
 *     └──cancel, too old──────────────────▶ failed
 */
export const jobStatuses = ['queued', 'processing', 'done', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const jobErrorCodes = [
  'safety_blocked',
  'policy_refused',
  'no_image',
  'invalid_input',
  'provider_unavailable',
  'provider_rejected',
  'timed_out',
  'deadline_exceeded',
  'interrupted',
  'cancelled',
  'internal',
] as const;
export type JobErrorCode = (typeof jobErrorCodes)[number];

/** The job that this job repeats or edits, or whose image is its input. That job may have been removed. */
export interface Origin {
  jobId: string;
  kind: 'input' | 'again' | 'edit';
}

/** Pairs of a key and a value that the client attaches to a job, for example its order or customer. */
export type Metadata = Readonly<Record<string, string>>;

/** A create's options. Each needs code in the API's schemas, `read-create.ts`, `present-job.ts`, `job-store.ts`. */
export interface JobOptions {
  /** Null if the client sent none. */
  metadata: Metadata | null;
  /** The time after which the image is useless to the client; null for never. */
  deadlineAt: number | null;
  /** The origin that the client named, or else the job that made an input. */
  origin: Origin | null;
  /** The format of the image; null for a PNG as made by the model. */
  output: Output | null;
  callbackUrl: string | null;
}

export const noOptions: JobOptions = {
  metadata: null,
  deadlineAt: null,
  origin: null,
  output: null,
  callbackUrl: null,
};

export interface Job extends JobOptions {
  id: string;
  accountId: string;
  keyId: string;
  /** The client token that created the job; null if the key itself created it. */
  clientTokenId: string | null;
  model: ModelId;
  mode: Mode;
  prompt: string;
  requestedRatio: RequestedRatio;
  /** The ratio in use; null until `auto` is resolved. */
  aspectRatio: AspectRatio | null;
  resolution: Resolution;
  /** The model version under which the job was accepted; null in jobs that are older than versions. */
  modelVersion: number | null;
  /** The parameters of the request, with defaults for omitted ones. */
  parameters: Readonly<Record<string, ParameterValue>>;
  priceMicros: bigint;
  inputs: StoredInput[];
  /** The mask of the first input, of equal size. Only its white areas may change; null if the whole image may. */
  mask: StoredInput | null;
  status: JobStatus;
  /** The number of claims. A worker that holds an older number can no longer change the job. */
  attempt: number;
  failures: AttemptFailure[];
  route: string | null;
  remoteId: string | null;
  /** When the next attempt may begin; null unless the job waits for a retry. */
  retryAt: number | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  error: string | null;
  errorCode: JobErrorCode | null;
  /** The image of a `done` job; null otherwise, and once the image is deleted. */
  image: ResultImage | null;
  /** Null until the renditions are made. */
  thumbhash: string | null;
  /** When the image, the inputs and the prompt were deleted. */
  imageDeletedAt: number | null;
  deletedImage: Omit<ResultImage, 'key' | 'sha256'> | null;
  notes: string[];
  /** The id of the request that created the job, as in its log line and `X-Request-Id`. */
  requestId: string | null;
}

export interface StoredInput {
  key: string;
  mediaType: StoredMediaType;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
}

export interface ResultImage {
  key: string;
  mediaType: StoredMediaType;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
}

/**
 * How an attempt that delivered no image ended. `lost`: its worker stopped extending the lease. `policy`: the policy
 * refused the image.
 */
export interface AttemptFailure {
  attempt: number;
  at: number;
  route: string | null;
  kind: FailureKind | 'lost' | 'store' | 'policy';
  /** True if the request is still running upstream under the job's remote id. */
  resumable?: boolean;
  /** True if the lost worker was running only this attempt. */
  alone?: boolean;
  /** True if the worker of a lost attempt reported again later, which shows that no job killed it. */
  livedOn?: boolean;
  /** A sentence for the client. */
  message: string;
  detail?: string;
}

/** The fence of a running job. Only the worker with the current attempt can change the job. */
export interface Lease {
  jobId: string;
  attempt: number;
  worker: string;
}

type Stored = Pick<Job, 'inputs' | 'mask'>;

/** Lists the stored inputs in the order of their links, with the mask last. */
export function storedInputs({ inputs, mask }: Stored): StoredInput[] {
  return mask ? [...inputs, mask] : inputs;
}

/** Serializes the inputs and, as the last of them, the mask. Claims search this text for `isMask`. */
export function writeInputs({ inputs, mask }: Stored): string {
  return JSON.stringify(mask ? [...inputs, { ...mask, isMask: true }] : inputs);
}

export function parseInputs(json: string): Stored {
  if (json === '[]') return { inputs: [], mask: null };
  const stored = JSON.parse(json) as (StoredInput & { isMask?: true })[]; // as written above
  return {
    inputs: stored.filter(({ isMask }) => !isMask),
    mask: stored.find(({ isMask }) => isMask) ?? null,
  };
}

/** Parses the JSON that `insertJobs` wrote. */
export function parseOutput(json: string | null): Job['output'] {
  return json === null ? null : (JSON.parse(json) as Output);
}
