import { formatMicros } from '../ledger/money.ts';

/**
 * The meters that are checked when jobs are created: the prices of an hour, a day, a month (UTC) or all time,
 * unfinished jobs, waiting jobs, and input bytes per day.
 */
export const jobMeters = ['hour', 'day', 'month', 'total', 'open', 'waiting', 'input'] as const;
/** The meters that token buckets enforce: requests per second and per minute. */
export const rateMeters = ['second', 'minute'] as const;
/** `running` is enforced when jobs are claimed. */
export const meters = [...jobMeters, 'running', ...rateMeters] as const;
export type JobMeter = (typeof jobMeters)[number];
export type Meter = (typeof meters)[number];

export interface Subject {
  kind: 'account' | 'key' | 'client_token';
  id: string;
}

export interface Payer {
  accountId: string;
  keyId: string;
  clientTokenId: string | null;
}

/** The subjects whose limits apply to a job. Panel jobs have their account's id as key id. */
export function subjectIdsOf({ accountId, keyId, clientTokenId }: Payer): readonly string[] {
  return [...new Set(clientTokenId === null ? [accountId, keyId] : [accountId, keyId, clientTokenId])];
}

export interface Limit<Of extends Meter = Meter> {
  subject: Subject;
  meter: Of;
  /** The maximum in micro-units, jobs, bytes or requests. Null for no limit; the use is still counted. */
  most: bigint | null;
  isDefault: boolean;
  /** The use so far, without prices of failed jobs. Always 0 for `waiting`, `running` and requests. */
  used: bigint;
  /** The start of the period that `used` covers; 0 if there is none. */
  startsAt: number;
  told: Told;
}

/** The alerts sent about a limit in its period: `near` when a share was used, `reached` when it stopped a job. */
export interface Told {
  near: boolean;
  reached: boolean;
}

export const toldNothing: Told = { near: false, reached: false };

/** New limits by meter: null for unlimited, `default` for the installation's. */
export type LimitChanges = Readonly<Partial<Record<Meter, bigint | null | 'default'>>>;

/** The installation's limits for subjects without limits of their own. Client tokens have no defaults. */
export type LimitDefaults = Readonly<Record<'account' | 'key', Readonly<Partial<Record<Meter, bigint>>>>>;

export const noDefaults: LimitDefaults = { account: {}, key: {} };

export function defaultOf(defaults: LimitDefaults, { kind }: Subject, meter: Meter): bigint | null {
  return kind === 'client_token' ? null : (defaults[kind][meter] ?? null);
}

export function startOf(meter: Meter, nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (meter) {
    case 'hour':
      return Date.UTC(year, month, day, now.getUTCHours());
    case 'day':
    case 'input':
      return Date.UTC(year, month, day);
    case 'month':
      return Date.UTC(year, month);
    default:
      return 0;
  }
}

/** When counting starts again; null if it never does. */
export function endOf({ meter, startsAt }: Pick<Limit, 'meter' | 'startsAt'>): number | null {
  const began = new Date(startsAt);
  switch (meter) {
    case 'hour':
      return startsAt + 3_600_000;
    case 'day':
    case 'input':
      return startsAt + 86_400_000;
    case 'month':
      return Date.UTC(began.getUTCFullYear(), began.getUTCMonth() + 1);
    default:
      return null;
  }
}

/** Returns the limit as of `nowMs`, without the use in past periods. A clock that went back changes nothing. */
export function atTime<Of extends Meter>(limit: Limit<Of>, nowMs: number): Limit<Of> {
  const startsAt = startOf(limit.meter, nowMs);
  return startsAt > limit.startsAt ? { ...limit, used: 0n, startsAt, told: toldNothing } : { ...limit };
}

export interface Use {
  jobs: number;
  /** The price of all jobs together. */
  priceMicros: bigint;
  /** The stored size of the fetched inputs. */
  inputBytes: bigint;
}

export function useOf(meter: JobMeter, { jobs, priceMicros, inputBytes }: Use): bigint {
  if (meter === 'open' || meter === 'waiting') return BigInt(jobs);
  return meter === 'input' ? inputBytes : priceMicros;
}

const moneyMeters: readonly Meter[] = ['hour', 'day', 'month', 'total'];

export function isOfMoney(meter: Meter): boolean {
  return moneyMeters.includes(meter);
}

export function amountOf(meter: Meter, value: bigint): string | number {
  return isOfMoney(meter) ? formatMicros(value) : Number(value);
}

export const wordOf = {
  hour: 'spend_hour',
  day: 'spend_day',
  month: 'spend_month',
  total: 'spend_total',
  open: 'open',
  waiting: 'waiting',
  running: 'running',
  input: 'input_bytes_day',
  second: 'requests_second',
  minute: 'requests_minute',
} as const satisfies Record<Meter, string>;

/** Presents limits as in the audit log: `spend_day: "5.00"`, `open: 20`, `requests_second: 10`; null for no limit. */
export function inWords(limits: LimitChanges): Record<string, string | number | null> {
  const words: Record<string, string | number | null> = {};
  for (const meter of meters) {
    const most = limits[meter];
    if (most !== undefined) words[wordOf[meter]] = typeof most === 'bigint' ? amountOf(meter, most) : most;
  }
  return words;
}
