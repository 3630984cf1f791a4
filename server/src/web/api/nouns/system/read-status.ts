import { countAccounts } from '../../../../accounts/account-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { listPauses, type Pause, pauseOf } from '../../../../jobs/admission/pause-store.ts';
import { readQueue } from '../../../../jobs/job-store.ts';
import { decideHold, type Hold } from '../../../../jobs/queue/decide-hold.ts';
import { listRunningWorkers } from '../../../../jobs/queue/worker-store.ts';
import type { RouteSettings } from '../../../../jobs/routes/open-routes.ts';
import { configuredRoute, type RouteState, readRouteStates } from '../../../../jobs/routes/report-routes.ts';
import { listProcesses, presentProcess } from '../../../../jobs/upkeep/process-store.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import type { ModelId } from '../../../../upstream/catalog/models.ts';
import { presentPause } from '../pauses/pause-json.ts';

export async function readStatus(
  database: Database,
  { catalogue, settings }: { catalogue: Catalogue; settings: readonly RouteSettings[] },
) {
  const pauses = await listPauses(database.read);
  const workers = await listRunningWorkers(database.read);
  const routes = await readRouteStates(database, settings.map(configuredRoute));
  const { queued, processing, resting, oldestQueuedMs } = await readQueue(database.reports);
  const waiting = [];
  for (const { model } of catalogue.newest()) {
    const queue = await readQueue(database.reports, { model });
    const jobs = queue.queued + queue.resting;
    if (jobs > 0) waiting.push({ model, jobs, reason: whyWaiting(model, { pauses, workers, routes }) });
  }
  return {
    pauses: pauses.map(presentPause),
    queued,
    processing: processing - resting,
    resting,
    oldest_queued_ms: oldestQueuedMs,
    waiting,
    workers,
    processes: (await listProcesses(database.read)).map(presentProcess),
    accounts: await countAccounts(database.reports),
    routes,
  };
}

/** Names only the first obstacle, as a sentence without a full stop. */
function whyWaiting(
  model: ModelId,
  {
    pauses,
    workers,
    routes,
  }: { pauses: Pause[]; workers: { slots: number; jobs: number }[]; routes: RouteState[] },
): string {
  const own = routes.filter((route) => route.model === model);
  const hold = decideHold({
    isPaused: pauseOf(pauses, model) !== undefined,
    workers,
    routes: own.map((route) => ({ ...route, isOut: route.until !== null })),
  });
  if (hold !== 'routes_out') return holds[hold];
  const [soonest] = own.toSorted((a, b) => (String(a.until) < String(b.until) ? -1 : 1));
  return `no route takes jobs before ${soonest?.until} (${soonest?.route}: ${soonest?.state}, ${soonest?.reason})`;
}

const holds: Record<Exclude<Hold, 'routes_out'>, string> = {
  paused: 'paused',
  no_worker: 'no worker is running',
  routes_full: 'all slots of its routes are in use',
  workers_busy: 'all workers are busy',
  none: 'about to begin, or waiting to be retried',
};
