import type { Database } from '../../../base/db/database.ts';
import type { LimitDefaults } from '../../../money/limits/limit.ts';
import { listPauses, pauseOf } from '../../admission/pause-store.ts';
import type { WaitEstimator } from '../../queue-view.ts';
import { readCircuits, readPaces } from '../../routes/circuit-store.ts';
import type { LiveRoutes } from '../../routes/live-routes.ts';
import { type ReportedRoute, reportedRoutes } from '../../routes/report-routes.ts';
import { readMostRunning } from '../most-running.ts';
import { listRunningWorkers } from '../worker-store.ts';
import { estimateQueue, type QueueEstimate } from './estimate-queue.ts';
import type { QueueState, RecentJob } from './queue-state.ts';
import { readLines, readRecent, readRunningJobs } from './queue-state-store.ts';

const freshMs = 1_000;
// The pause after a read, as a multiple of the read's length: a long queue takes at most a tenth of the process's time.
const restFactor = 9;
// How long recent jobs are reused, because job times do not change within seconds.
const recentFreshMs = 10_000;
const maxRecent = 1_000;

/** Reads the queue at most once per second for all callers. */
export function openWaitEstimator({
  database,
  routes,
  limitDefaults,
}: {
  database: Database;
  routes: LiveRoutes;
  limitDefaults: LimitDefaults;
}): WaitEstimator {
  let estimate: Promise<QueueEstimate> | undefined;
  let recent: readonly RecentJob[] = [];
  let [staleAt, recentStaleAt] = [0, 0];

  async function current(): Promise<QueueEstimate> {
    if (estimate && performance.now() < staleAt) return estimate;
    const began = performance.now();
    staleAt = Number.POSITIVE_INFINITY; // all callers wait for the estimate in progress
    estimate = make(began);
    try {
      return await estimate;
    } catch (error) {
      estimate = undefined;
      throw error;
    } finally {
      const tookMs = performance.now() - began;
      staleAt = began + Math.max(freshMs, tookMs * (1 + restFactor));
    }
  }

  async function make(now: number): Promise<QueueEstimate> {
    if (now >= recentStaleAt) {
      recent = await readRecent(database.read, maxRecent);
      recentStaleAt = now + recentFreshMs;
    }
    const known = { routes: reportedRoutes(routes), limitDefaults, recent };
    return estimateQueue(await readQueueState(database, known));
  }

  return {
    async of({ id, accountId, keyId, model, retryAt }) {
      return (await current()).of({ id, accountId, keyId, model, retryAt });
    },
    async ofNew({ accountId, keyId, model }) {
      return (await current()).of({ id: null, accountId, keyId, model, retryAt: null }).eta;
    },
  };
}

async function readQueueState(
  { read }: Pick<Database, 'read'>,
  {
    routes,
    limitDefaults,
    recent,
  }: { routes: readonly ReportedRoute[]; limitDefaults: LimitDefaults; recent: readonly RecentJob[] },
): Promise<QueueState> {
  const [{ nowMs, circuits }, paces, pauses, workers, running, { lines, batches }, mostRunning] =
    await Promise.all([
      readCircuits(read),
      readPaces(read),
      listPauses(read),
      listRunningWorkers(read),
      readRunningJobs(read),
      readLines(read),
      readMostRunning(read, limitDefaults),
    ]);
  const paused = new Map<string, number | null>();
  for (const { model } of routes) {
    const pause = pauseOf(pauses, model);
    if (pause) paused.set(model, pause.until);
  }
  return {
    nowMs,
    routes: routes.map(({ id, model, slots, perMinute }) => ({
      id,
      model,
      slots,
      ...(perMinute !== undefined && { perMinute }),
    })),
    workerSlots: workers.reduce((sum, { slots }) => sum + slots, 0),
    resting: new Map([...circuits].map(([route, { until }]) => [route, until])),
    paces,
    paused,
    running,
    mostRunning,
    lines,
    batches,
    recent,
  };
}
