import type { ErrorCode } from '../../src/errors.ts';
import type { JobMeter, Meter } from '../../src/money/limits/limit.ts';
import { jobMeters } from '../../src/money/limits/limit.ts';
import { isPaused, isUnderWay, type ModelAccount, type ModelJob, type ModelState } from './model.ts';

/** Limits by the id of an account or key and by meter; null if the default was lifted. */
export type ModelLimits = Map<string, bigint | null>;

export interface Asked {
  account: ModelAccount;
  keyId: string;
  models: readonly string[];
  price: bigint;
}

/** The limit of an account or a key that applies now, its own or the default; undefined for none. */
export function mostOf(
  { limits, defaults }: ModelState,
  kind: 'account' | 'key',
  id: string,
  meter: Meter,
): bigint | undefined {
  const own = limits.get(`${id} ${meter}`);
  return own === undefined ? defaults[kind][meter] : (own ?? undefined);
}

/** All reasons that would refuse a create now, in the order of the checks. */
export function refusalsOf(state: ModelState, { account, keyId, models, price }: Asked): Set<ErrorCode>[] {
  const paused = new Set<ErrorCode>();
  if (models.some((model) => isPaused(state, model))) {
    if (state.paused.has('project')) paused.add('project_paused');
    if (models.some((model) => state.paused.has(model))) paused.add('model_paused');
  }
  const limited = new Set<ErrorCode>();
  for (const { kind, id } of subjectsOf(account, keyId)) {
    for (const meter of jobMeters) {
      const most = mostOf(state, kind, id, meter);
      const asked = isOfJobs(meter) ? BigInt(models.length) : price;
      // A request that costs nothing passes even a limit that was lowered below its use.
      if (meter === 'input' || most === undefined || asked === 0n) continue;
      if (usedOf(state, id, meter) + asked > most)
        limited.add(isOfJobs(meter) ? 'open_jobs_limit_reached' : 'spend_limit_reached');
    }
  }
  const poor: ErrorCode[] =
    account.debt > 0n || account.balance - account.reserved < price ? ['insufficient_funds'] : [];
  return [paused, limited, new Set(poor)].filter(({ size }) => size > 0);
}

export function isFull(state: ModelState, account: ModelAccount, keyId: string): boolean {
  return subjectsOf(account, keyId).some(({ kind, id }) => {
    const most = mostOf(state, kind, id, 'running');
    return most !== undefined && runningOf(state, id) >= most;
  });
}

export function runningOf({ jobs }: ModelState, id: string): bigint {
  return BigInt(jobs.filter((job) => isOf(job, id) && job.lease).length);
}

export function subjectsOf(account: ModelAccount, keyId: string): { kind: 'account' | 'key'; id: string }[] {
  const own = { kind: 'account', id: account.id } as const;
  return keyId === account.id ? [own] : [own, { kind: 'key', id: keyId }];
}

function isOfJobs(meter: JobMeter): boolean {
  return meter === 'open' || meter === 'waiting';
}

/** The use of a limit, added up from the jobs themselves. */
function usedOf({ jobs, nowMs }: ModelState, id: string, meter: JobMeter): bigint {
  const own = jobs.filter((job) => isOf(job, id));
  if (meter === 'open') return BigInt(own.filter(isUnderWay).length);
  if (meter === 'waiting') return BigInt(own.filter((job) => isUnderWay(job) && !job.lease).length);
  const since = beginOf(meter, new Date(nowMs));
  return own
    .filter(({ createdAt, status }) => createdAt >= since && status !== 'failed')
    .reduce((sum, { price }) => sum + price, 0n);
}

function isOf({ account, keyId }: ModelJob, id: string): boolean {
  return account.id === id || keyId === id;
}

function beginOf(meter: JobMeter, now: Date): number {
  if (meter === 'hour') return now.getTime() - (now.getTime() % 3_600_000);
  if (meter === 'day') return now.getTime() - (now.getTime() % 86_400_000);
  return meter === 'month' ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) : 0;
}
