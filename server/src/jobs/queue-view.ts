import { toIso } from '../base/std/iso-time.ts';
import type { Job } from './job.ts';

export const waitReasons = [
  'turn',
  'account_limit',
  'route_full',
  'route_resting',
  'paced',
  'paused',
  'retry',
] as const;

/** The place of a waiting job in the queue. Times are milliseconds. */
export interface QueueView {
  /** The number of waiting jobs of the model that begin before this job in the fair order. */
  ahead: number;
  /** The estimated time until the job ends; null if unknown, for example while its model is paused without an end. */
  eta: Eta | null;
  reason: (typeof waitReasons)[number];
  /** When the reason ends, if known: the end of a pause, or the time of a retry. */
  until: number | null;
}

export interface Eta {
  p50Ms: number;
  p95Ms: number;
}

export interface WaitEstimator {
  of(job: Job): Promise<QueueView>;
  ofNew(job: Pick<Job, 'accountId' | 'keyId' | 'model'>): Promise<Eta | null>;
}

export function isWaiting({ status, retryAt }: Pick<Job, 'status' | 'retryAt'>): boolean {
  return status === 'queued' || retryAt !== null;
}

export function presentQueue({ ahead, eta, reason, until }: QueueView, { attempt }: Pick<Job, 'attempt'>) {
  return {
    position: ahead + 1,
    ahead,
    eta: presentEta(eta),
    reason,
    ...(until !== null && { until: toIso(until) }),
    ...(reason === 'retry' && { attempt: attempt + 1 }),
  };
}

/** Converts to seconds, rounded to tenths. */
export function presentEta(eta: Eta | null) {
  return eta && { p50: inTenths(eta.p50Ms), p95: inTenths(eta.p95Ms) };
}

function inTenths(ms: number): number {
  return Math.round(ms / 100) / 10;
}
