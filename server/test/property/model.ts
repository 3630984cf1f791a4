import type { JobErrorCode, JobStatus } from '../../src/jobs/job.ts';
import type { LimitDefaults } from '../../src/money/limits/limit.ts';
import { toModel } from '../../src/upstream/catalog/model-definition.ts';
import {
  type Model,
  type ModelId,
  pixels,
  type Resolution,
  type Size,
} from '../../src/upstream/catalog/models.ts';
import { specifiedModels } from '../../src/upstream/catalog/specified-models.ts';
import type { ModelLimits } from './model-limits.ts';
import type { ModelCharge, ModelTopUp } from './model-top-ups.ts';

/**
 * The state with which the real system must agree after every step. It follows the same rules, written
 * a second time, as plainly as possible.
 */
export interface ModelState {
  accounts: ModelAccount[];
  jobs: ModelJob[];
  batches: ModelBatch[];
  /** Every lease that was ever given, whether current or not. */
  leases: ModelLease[];
  paused: Set<'project' | ModelId>;
  limits: ModelLimits;
  groups: Map<string, ModelGroup>;
  vouchers: ModelVoucher[];
  payments: ModelPayment[];
  cards: string[];
  defaults: LimitDefaults;
  /** Request buckets, with their level and its time. */
  buckets: Map<string, { tokens: number; at: number }>;
  nowMs: number;
}

export interface ModelAccount {
  id: string;
  /** The account's two keys, with their texts; and for its people in the panel, one without a text. */
  keys: { id: string; text: string | null }[];
  balance: bigint;
  reserved: bigint;
  /** While the account has a debt, it makes no images. */
  debt: bigint;
  moves: Record<'credit' | 'debit' | 'capture', bigint>;
  topUp: ModelTopUp;
  group: string | null;
  /** Idempotency key → its request and the jobs it made. */
  asked: Map<string, { fingerprint: string; jobIds: readonly string[] }>;
  /** The reference of a payment → the booking with this reference. */
  moved: Map<string, { kind: 'credit' | 'debit'; amount: bigint }>;
}

export interface ModelGroup {
  millionths: bigint;
  fixed: { model: ModelId; resolution: Resolution; micros: bigint } | null;
}

export interface ModelVoucher {
  batchId: string;
  code: string;
  amount: bigint;
  uses: number;
  redeemedBy: Set<ModelAccount>;
  withdrawn: boolean;
}

export interface ModelPayment {
  id: string;
  account: ModelAccount;
  amount: bigint;
  reversals: Map<string, { state: 'taken' | 'returned'; saidAt: number; isOver: boolean; minor: number }>;
  /** The card charge; null for a payment on a page. */
  charge: ModelCharge | null;
}

/** Adds credit, which first pays debts together with everything available. */
export function addTo(account: ModelAccount, amount: bigint): void {
  const available = account.balance - account.reserved + amount;
  const paid = available < account.debt ? available : account.debt;
  account.debt -= paid;
  account.balance += amount;
  account.moves.credit += amount;
  take(account, paid);
}

export function take(account: ModelAccount, amount: bigint): void {
  account.balance -= amount;
  account.moves.debit += amount;
}

export interface ModelJob {
  id: string;
  account: ModelAccount;
  keyId: string;
  model: ModelId;
  price: bigint;
  status: JobStatus;
  errorCode: JobErrorCode | null;
  attempt: number;
  createdAt: number;
  startedAt: number | null;
  deadlineAt: number | null;
  lease: ModelLease | null;
  /** The time from which the job may be claimed while it has no lease. */
  claimableAt: number;
  lost: number;
}

export interface ModelBatch {
  id: string;
  account: ModelAccount;
  jobs: ModelJob[];
  cancelled: boolean;
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
/** After these numbers of lost workers, a job is a suspect, then runs alone, and finally fails. */
export const maxLost = { free: 2, beside: 3, inAll: 6 };
export const slotsPerModel = 3;

const models = new Map(specifiedModels.map((definition) => [definition.id, toModel(definition, 1)]));

export function modelOf(id: ModelId): Model {
  const model = models.get(id);
  if (!model) throw new Error(`there is no model ${id}`);
  return model;
}

/**
 * Rounds the price by a rule in another form than the server's: from twice the price, half a micro-unit or
 * more is rounded up.
 */
export function priceOf(
  { groups }: ModelState,
  { group }: ModelAccount,
  model: ModelId,
  resolution: Resolution,
): bigint {
  const list = modelOf(model).resolutions.get(resolution)?.priceMicros ?? 0n;
  const own = group === null ? undefined : groups.get(group);
  if (!own) return list;
  if (own.fixed?.model === model && own.fixed.resolution === resolution) return own.fixed.micros;
  const twice = (2n * list * own.millionths) / 1_000_000n;
  return twice / 2n + (twice % 2n);
}

export function promisedPixels(id: ModelId): Size {
  return pixels(modelOf(id), '1:1', '1K');
}

export function isPaused(state: ModelState, model: ModelId): boolean {
  return state.paused.has('project') || state.paused.has(model);
}

export function end(job: ModelJob, errorCode: JobErrorCode | null): void {
  job.status = errorCode === null ? 'done' : 'failed';
  job.errorCode = errorCode;
  job.lease = null;
  job.account.reserved -= job.price;
  if (job.status !== 'done') return;
  job.account.balance -= job.price;
  job.account.moves.capture += job.price;
}

/**
 * A worker fell silent. The job fails if this is its sixth loss, the last three of them while it ran alone,
 * or if its time is over.
 */
export function lose(state: ModelState, job: ModelJob): void {
  job.lost += 1;
  job.lease = null;
  job.claimableAt = state.nowMs;
  if (isOverdue(state, job)) end(job, 'deadline_exceeded');
  else if (job.lost >= maxLost.inAll || isOutOfTime(state, job)) end(job, 'interrupted');
}

export function isOutOfTime(state: ModelState, job: ModelJob): boolean {
  return state.nowMs - (job.startedAt ?? state.nowMs) >= jobTimeoutMs;
}

export function isOverdue(state: ModelState, job: ModelJob): boolean {
  return job.deadlineAt !== null && job.deadlineAt <= state.nowMs;
}

export function isUnderWay({ status }: ModelJob): boolean {
  return status === 'queued' || status === 'processing';
}
