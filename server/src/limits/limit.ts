import { formatMicros } from '../ledger/money.ts';

/** Counted where jobs are admitted: their prices in the present hour, day or month (UTC) or of all time, and those that wait or run. */
export const jobMeters = ['hour', 'day', 'month', 'total', 'open'] as const;
/** Counted by each process in token buckets: requests a second and a minute. */
export const rateMeters = ['second', 'minute'] as const;
export const meters = [...jobMeters, ...rateMeters] as const;
export type JobMeter = (typeof jobMeters)[number];
export type Meter = (typeof meters)[number];

/** Who is limited. */
export interface Subject {
  kind: 'account' | 'key' | 'client_token';
  id: string;
}

/** The ids of all whose limits hold for a job. */
export function subjectIdsOf(job: {
  accountId: string;
  keyId: string;
  clientTokenId: string | null;
}): readonly string[] {
  const { accountId, keyId, clientTokenId } = job;
  return clientTokenId === null ? [accountId, keyId] : [accountId, keyId, clientTokenId];
}

export interface Limit<Of extends Meter = Meter> {
  subject: Subject;
  meter: Of;
  /** Micro-units; jobs on `open`, requests on `second` and `minute`. */
  most: bigint;
  /** Prices of jobs that failed are given back. Stays 0 on `second` and `minute`. */
  used: bigint;
  /** When the hour, day or month began that `used` is about; otherwise 0. */
  startsAt: number;
}

/** New limits by what they count; null removes one. */
export type LimitChanges = Readonly<Partial<Record<Meter, bigint | null>>>;

export function startOf(meter: Meter, nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (meter) {
    case 'hour':
      return Date.UTC(year, month, day, now.getUTCHours());
    case 'day':
      return Date.UTC(year, month, day);
    case 'month':
      return Date.UTC(year, month);
    default:
      return 0;
  }
}

/** When counting starts again; null where it never does. */
export function endOf({ meter, startsAt }: Pick<Limit, 'meter' | 'startsAt'>): number | null {
  const began = new Date(startsAt);
  switch (meter) {
    case 'hour':
      return startsAt + 3_600_000;
    case 'day':
      return startsAt + 86_400_000;
    case 'month':
      return Date.UTC(began.getUTCFullYear(), began.getUTCMonth() + 1);
    default:
      return null;
  }
}

/** The limit as it is now: of an hour, day or month that is over nothing is used. A clock that went back changes nothing. */
export function atTime<Of extends Meter>(limit: Limit<Of>, nowMs: number): Limit<Of> {
  const startsAt = startOf(limit.meter, nowMs);
  return startsAt > limit.startsAt ? { ...limit, used: 0n, startsAt } : { ...limit };
}

/** What jobs use of it, with their price together. */
export function useOf(meter: Meter, priceMicros: bigint, jobs: number): bigint {
  return meter === 'open' ? BigInt(jobs) : priceMicros;
}

/** A decimal amount of money, or a number of jobs or requests. */
export function amountOf(meter: Meter, value: bigint): string | number {
  return meter === 'open' || meter === 'second' || meter === 'minute' ? Number(value) : formatMicros(value);
}

/** As JSON names it. */
export const wordOf: Record<Meter, string> = {
  hour: 'spend_hour',
  day: 'spend_day',
  month: 'spend_month',
  total: 'spend_total',
  open: 'open',
  second: 'requests_second',
  minute: 'requests_minute',
};
