import fc from 'fast-check';
import { type LimitDefaults, noDefaults } from '../../../src/money/limits/limit.ts';
import { maintainOnce } from '../../world/run-once.ts';
import {
  end,
  isOverdue,
  isUnderWay,
  jobTimeoutMs,
  leaseMs,
  lose,
  type ModelJob,
  type ModelState,
  maxQueuedMs,
} from '../model.ts';
import type { System } from '../system.ts';
import { type Kind, step } from './step.ts';

const someDefaults: LimitDefaults = {
  account: { open: 8n, day: 500_000n, minute: 6n },
  key: { waiting: 4n, running: 2n, hour: 250_000n },
};
/** The installation's limits, which change with the configuration. */
export const defaults = [
  noDefaults,
  someDefaults,
  { account: { running: 3n }, key: { second: 2n } },
] as const;

export const time: Record<string, Kind> = {
  wait: { weight: 2, steps: fc.constantFrom(400, 6_000, 11_000, 10 * 60_000).map(wait) },
  expire: { weight: 2, steps: fc.constantFrom(leaseMs + 5_000, maxQueuedMs + 60_000).map(expire) },
  restart: { weight: 1, steps: fc.constantFrom(...defaults).map(restart) },
};

function wait(ms: number) {
  return step('wait', ms, (state, system) => letPass(state, system, ms));
}

export async function letPass(state: ModelState, system: System, ms: number): Promise<void> {
  await system.elapse(ms);
  state.nowMs += ms;
}

function expire(ms: number) {
  return step('expire', ms, async (state, system) => {
    await letPass(state, system, ms);
    const { database, watch } = system;
    await maintainOnce(database, watch, { maxQueuedMs, jobTimeoutMs, leases: { watch, leaseMs } });
    for (const job of state.jobs.filter(isUnderWay)) {
      if (job.lease) {
        if (job.lease.until <= state.nowMs) lose(state, job);
      } else if (isOverdue(state, job)) end(job, 'deadline_exceeded');
      else if (state.nowMs - waitingSince(job) >= maxQueuedMs) end(job, 'timed_out');
    }
  });
}

/** The time from which a job that no worker takes has waited too long: its creation, or the end of its time limit. */
function waitingSince({ createdAt, startedAt }: ModelJob): number {
  return startedAt === null ? createdAt : startedAt + jobTimeoutMs;
}

function restart(defaults: LimitDefaults) {
  return step('restart', defaults, async (state, system) => {
    await system.restart(defaults);
    state.defaults = defaults;
    state.buckets.clear();
  });
}
