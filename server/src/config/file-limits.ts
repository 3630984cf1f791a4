import type { RateLimit } from '../base/http/rate-limit.ts';
import { parseMicros } from '../money/ledger/money.ts';
import type { LimitDefaults, Meter } from '../money/limits/limit.ts';
import type { ConfigFile } from './config-file.ts';

type FileLimits = NonNullable<NonNullable<ConfigFile['limits']>['accounts']>;

const meterOf: Record<keyof FileLimits, Meter> = {
  spendHour: 'hour',
  spendDay: 'day',
  spendMonth: 'month',
  spendTotal: 'total',
  maxOpen: 'open',
  maxWaiting: 'waiting',
  maxRunning: 'running',
  inputBytesDay: 'input',
  requestsPerSecond: 'second',
  requestsPerMinute: 'minute',
};

export function readLimitDefaults({ limits }: ConfigFile): LimitDefaults {
  return { account: inMeters(limits?.accounts), key: inMeters(limits?.keys) };
}

export function inMeters(of: FileLimits = {}): LimitDefaults['account'] {
  const named = Object.entries(of) as [keyof FileLimits, string | number][]; // the schema allows only these names
  return Object.fromEntries(
    named.map(([name, most]) => [meterOf[name], typeof most === 'string' ? parseMicros(most) : BigInt(most)]),
  );
}

export function readRateLimit(perSecond: number | undefined, burst?: number): RateLimit | null {
  if (perSecond === undefined) return null;
  return { perSecond, burst: burst ?? Math.max(1, Math.ceil(perSecond * 2)) };
}
