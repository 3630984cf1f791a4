import type { Agent } from 'undici';
import type { Database } from '../../../base/db/database.ts';
import { startRestingLoop } from '../../../base/db/start-resting-loop.ts';
import type { Guard } from '../../../base/guard/guard.ts';
import type { Meter } from '../../../base/metrics/meter.ts';
import type { Clock } from '../../../base/std/clock.ts';
import type { ClockWatch } from '../../../base/std/clock-watch.ts';
import type { Log } from '../../../base/std/log.ts';
import { createRunning } from '../../../base/std/loop.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { newWorkerId } from '../../../base/std/worker-id.ts';
import type { Tracing } from '../../../base/tracing/tracing.ts';
import type { CopyImage } from '../buckets/copy-image.ts';
import type { LeasedDelivery } from '../delivery.ts';
import type { Mailer } from '../mail/mailer.ts';
import { type DescribeJobs, describeEvents } from '../webhook-body.ts';
import type { CheckTarget } from '../webhook-target.ts';
import { createDeliveryAttempts } from './attempt-delivery.ts';
import { recordInterrupted } from './attempt-recorder.ts';
import { releaseLeases } from './attempt-store.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import type { LaneLimits } from './decide-quotas.ts';
import { isAnyDeliveryLeased, isAnyDeliveryWaiting } from './delivery-claim-store.ts';

export interface DeliveryPolicy extends LaneLimits {
  concurrency: number;
  /** Longer than an attempt and its recording take. A worker that holds a delivery longer counts as dead. */
  leaseMs: number;
  /** How often to check for deliveries that other processes created or that are due after a wait. */
  pollMs: number;
  drainMs: number;
}

export interface DelivererDeps {
  database: Database;
  sealer: Sealer;
  guard: Pick<Guard, 'agent'>;
  checkTarget: CheckTarget;
  describeJobs: DescribeJobs;
  mailer: Mailer;
  copyImage: CopyImage;
  clock: Clock;
  watch: ClockWatch;
  log: Log;
  tracing: Tracing;
  meter: Meter;
  policy: DeliveryPolicy;
}

export interface Deliverer extends AsyncDisposable {
  wake(): void;
}

/** How often to check for attempts whose process died. */
const reclaimMs = 1_000;
// The agent needs no time-outs, because the whole exchange has a deadline.
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 16_384, pipelining: 1 };

export function startDeliverer(deps: DelivererDeps): Deliverer {
  const { database, clock, log, policy } = deps;
  const { concurrency, leaseMs, pollMs, drainMs, ...limits } = policy;
  const worker = newWorkerId(clock.nowMs());
  const claim = { worker, leaseMs, limits, sealer: deps.sealer };
  // The agent is created for the first delivery, because an idle server needs none.
  let made: Promise<Agent> | undefined;
  const agent = () => {
    made ??= deps.guard.agent(agentOptions).catch((error: unknown) => {
      made = undefined; // out of file descriptors: the next delivery tries again
      throw error;
    });
    return made;
  };
  const running = createRunning({ concurrency, drainMs, onFree: () => loop.wake() });
  const attempt = createDeliveryAttempts({ ...deps, agent, worker, leaseMs, signal: running.signal });

  async function deliverOnce(): Promise<number> {
    const { deliveries, secrets } = await claimDeliveries(database, { ...claim, limit: running.free() });
    if (deliveries.length === 0) return 0;
    const dataOf = await prepareOrRelease(deliveries);
    for (const delivery of deliveries) {
      const { event, secretOwner } = delivery;
      const own = secrets.get(secretOwner) ?? [];
      running.add(attempt(delivery, dataOf(event) ?? {}, own));
    }
    return deliveries.length;
  }

  /** Releases deliveries that cannot be prepared, so that they need not wait until their leases expire. */
  async function prepareOrRelease(deliveries: readonly LeasedDelivery[]) {
    try {
      const dataOf = await describeEvents(
        deps.describeJobs,
        deliveries.map(({ event }) => event),
      );
      await agent();
      return dataOf;
    } catch (error) {
      await database.transaction((tx) => releaseLeases(tx, deliveries, worker));
      throw error;
    }
  }

  async function reclaimOnce(): Promise<boolean> {
    const reclaimed = await recordInterrupted(database, { watch: deps.watch, leaseMs });
    if (reclaimed === 0) return false;
    log.warn('deliveries.reclaimed', { deliveries: reclaimed });
    loop.wake();
    return true;
  }

  const onError = (error: unknown) => log.warn('deliveries.failed', { reason: String(error) });
  const loop = startRestingLoop({
    ...{ database, waits: [isAnyDeliveryWaiting], everyMs: pollMs, onError },
    runOnce: async () => (await deliverOnce()) > 0,
  });
  const reclaim = startRestingLoop({
    ...{ database, waits: [isAnyDeliveryLeased], everyMs: reclaimMs, onError },
    runOnce: reclaimOnce,
  });
  return {
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await reclaim[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
      await (await made)?.destroy();
    },
  };
}
