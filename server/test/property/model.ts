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
 * The state with which the real system must agree after every step: the rules once more, as plainly as
 * possible.
 */
export interface ModelState {
  accounts: ModelAccount[];
  jobs: ModelJob[];
  batches: ModelBatch[];
  /** Every lease that was ever given, current or not. */
  leases: ModelLease[];
  paused: Set<'project' | ModelId>;
  limits: ModelLimits;
  groups: Map<string, ModelGroup>;
  vouchers: ModelVoucher[];
  payments: ModelPayment[];
  /** All that were ever left. */
  cards: string[];
  defaults: LimitDefaults;
  /** Buckets of requests: their level and its time. */
  buckets: Map<string, { tokens: number; at: number }>;
  nowMs: number;
}

export interface ModelAccount {
  id: string;
  /** Its two keys, with their texts, and its people in the panel, who have none. */
  keys: { id: string; text: string | null }[];
  balance: bigint;
  reserved: bigint;
  /** While it owes anything, it makes nothing. */
  debt: bigint;
  /** The sums of its statements. */
  moves: Record<'credit' | 'debit' | 'capture', bigint>;
  topUp: ModelTopUp;
  group: string | null;
  /** Idempotency key → its request and the jobs it made. */
  asked: Map<string, { fingerprint: string; jobIds: readonly string[] }>;
  /** Reference of a payment → the booking that carries it. */
  moved: Map<string, { kind: 'credit' | 'debit'; amount: bigint }>;
}

/** A price group. */
export interface ModelGroup {
  millionths: bigint;
  fixed: { model: ModelId; resolution: Resolution; micros: bigint } | null;
}

/** The only code of its batch. */
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
  /** The last state of each refund and dispute, and its time. */
  reversals: Map<string, { state: 'taken' | 'returned'; saidAt: number; isOver: boolean }>;
  /** Null for a payment on a page. */
  charge: ModelCharge | null;
}

/** Credit first pays debts, with all that is then available. */
export function addTo(account: ModelAccount, amount: bigint): void {
  const available = account.balance - account.reserved + amount;
  const paid = available < account.debt ? available : account.debt;
  account.debt -= paid;
  account.balance += amount;
  account.moves.credit += amount;
  take(account, paid);
}

/** Takes an amount from the balance. */
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
  /** Why it failed. */
  errorCode: JobErrorCode | null;
  attempt: number;
  createdAt: number;
  startedAt: number | null;
  deadlineAt: number | null;
  lease: ModelLease | null;
  /** From when on it may be claimed, while it has no lease. */
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
/** After so many lost workers a job is a suspect, then runs alone, and at last fails. */
export const maxLost = { free: 2, beside: 3, inAll: 6 };
export const slotsPerModel = 3;

const models = new Map(specifiedModels.map((definition) => [definition.id, toModel(definition, 1)]));

export function modelOf(id: ModelId): Model {
  const model = models.get(id);
  if (!model) throw new Error(`there is no model ${id}`);
  return model;
}

/** The rule in another form: twice the price, and one more if half a micro-unit or more is left. */
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

/** Takes the job's money off the reservation, and off the balance when it is done. */
export function end(job: ModelJob, errorCode: JobErrorCode | null): void {
  job.status = errorCode === null ? 'done' : 'failed';
  job.errorCode = errorCode;
  job.lease = null;
  job.account.reserved -= job.price;
  if (job.status !== 'done') return;
  job.account.balance -= job.price;
  job.account.moves.capture += job.price;
}

/** A worker went silent: when it was alone in the last three of six, or when its time is over, the job fails. */
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

/** Whether its deadline has passed. */
export function isOverdue(state: ModelState, job: ModelJob): boolean {
  return job.deadlineAt !== null && job.deadlineAt <= state.nowMs;
}

export function isUnderWay({ status }: ModelJob): boolean {
  return status === 'queued' || status === 'processing';
}
