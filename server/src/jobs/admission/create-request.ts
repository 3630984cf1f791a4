import type { ClientToken } from '../../accounts/key-store.ts';
import type { Mode, Model, RequestedRatio, Resolution } from '../../upstream/catalog/models.ts';
import type { Job, JobOptions } from '../job.ts';
import type { Unserved } from './decide-admissions.ts';
import type { MaskWish } from './take-inputs.ts';
import type { Waiting } from './unanswered/unanswered-store.ts';

export interface CreateRequest extends JobOptions {
  accountId: string;
  keyId: string;
  clientToken: ClientToken | null;
  requestId: string;
  model: Model;
  mode: Mode;
  prompt: string;
  aspectRatio: RequestedRatio;
  resolution: Resolution;
  /** The parameters, with defaults for those that the client omitted. */
  parameters: Job['parameters'];
  /** The mask of the first input; null if the whole image may change. */
  mask: MaskWish | null;
  /** Whether the request came after its deadline. */
  isLate?: boolean;
  /** Whether the origin is not a job of the account. Set for requests of batches; `createJobs` looks itself. */
  hasForeignOrigin?: boolean;
  /** Empty in mode `text`. */
  inputUrls: readonly string[];
  idempotency: AskedKey | null;
  /** Set by our versions of vendors' APIs: a retry without an Idempotency-Key finds the first request's jobs. */
  unanswered?: Waiting;
  /** A signal that aborts when the client disconnects. Created on first use, because most creates do not need it. */
  signal: () => AbortSignal;
}

export interface AskedKey {
  key: string;
  fingerprint: string;
  /** The fingerprint under other versions of the models. Absent if it does not depend on defaults of models. */
  fingerprintUnder?: (versionOf: (model: Model) => Model) => string | Promise<string>;
}

/** The fields in which the jobs of one request can differ. */
export type Variant = Pick<CreateRequest, 'model' | 'resolution' | 'parameters'>;

/** The part of a request that says who pays how much for which jobs, known before inputs are fetched. */
export type Payable = Pick<
  PricedRequest,
  | 'accountId'
  | 'keyId'
  | 'clientToken'
  | 'requestId'
  | 'priceMicros'
  | 'unserved'
  | 'inputUrls'
  | 'idempotency'
  | 'unanswered'
  | 'signal'
> & { variants: readonly Pick<Variant, 'model'>[] };

export type PricedRequest = Omit<CreateRequest, keyof Variant> & {
  variants: readonly (Variant & { priceMicros: bigint })[];
  priceMicros: bigint;
  /** Why no route can serve the request, if this is known before inputs are fetched. */
  unserved: Unserved | null;
};
