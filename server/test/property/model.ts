import { toModel } from '../../src/catalog/model-definition.ts';
import { type ModelId, pixels, type Resolution, type Size } from '../../src/catalog/models.ts';
import { specifiedModels } from '../../src/catalog/specified-models.ts';
import type { JobStatus } from '../../src/jobs/job.ts';

/** What the real thing must agree with after every step: the rules once more, as plainly as possible. */
export interface ModelState {
  accounts: ModelAccount[];
  jobs: ModelJob[];
  /** Every lease that was ever given, current or not. */
  leases: ModelLease[];
  paused: Set<'project' | ModelId>;
  nowMs: number;
}

export interface ModelAccount {
  id: string;
  keyId: string;
  balance: bigint;
  reserved: bigint;
  /** Idempotency key → what was asked with it and which jobs it made. */
  keys: Map<string, { fingerprint: string; jobIds: string[] }>;
}

export interface ModelJob {
  id: string;
  account: ModelAccount;
  model: ModelId;
  price: bigint;
  status: JobStatus;
  attempt: number;
  createdAt: number;
  startedAt: number | null;
  lease: ModelLease | null;
  /** Rests between attempts: may be claimed, must not be expected to. */
  resting: boolean;
  lost: number;
}

export interface ModelLease {
  job: ModelJob;
  attempt: number;
  worker: string;
  until: number;
}

export const leaseMs = 20_000;
export const jobTimeoutMs = 15 * 60_000;
export const maxQueuedMs = 60 * 60_000;
export const maxLost = 3;
export const slotsPerModel = 3;

const models = new Map(specifiedModels.map((definition) => [definition.id, toModel(definition, 1)]));

export function priceOf(model: ModelId, resolution: Resolution): bigint {
  return models.get(model)?.resolutions.get(resolution)?.priceMicros ?? 0n;
}

export function promisedPixels(id: ModelId): Size {
  const model = models.get(id);
  if (!model) throw new Error(`there is no model ${id}`);
  return pixels(model, '1:1', '1K');
}

export function isPaused(state: ModelState, model: ModelId): boolean {
  return state.paused.has('project') || state.paused.has(model);
}

/** Takes the job's money off the reservation, and off the balance when it is spent. */
export function end(job: ModelJob, status: 'done' | 'failed'): void {
  job.status = status;
  job.lease = null;
  job.account.reserved -= job.price;
  if (status === 'done') job.account.balance -= job.price;
}

/** A worker went silent: after the third time, or when its time is over, the job fails. */
export function lose(state: ModelState, job: ModelJob): void {
  job.lost += 1;
  job.lease = null;
  job.resting = true;
  if (job.lost >= maxLost || isOutOfTime(state, job)) end(job, 'failed');
}

export function isOutOfTime(state: ModelState, job: ModelJob): boolean {
  return state.nowMs - (job.startedAt ?? state.nowMs) >= jobTimeoutMs;
}
