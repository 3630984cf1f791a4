import { readSignInFailures } from '../../accounts/sign-in/watch-sign-ins.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Family, Sample } from '../../base/metrics/metric-text.ts';
import { msOfId } from '../../base/std/ids.ts';
import type { MarginAlert } from '../../notify/alerts/margin-alerts.ts';
import { announcedEnd, type DatedModel } from '../../upstream/calendar/model-end.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import { listPauses, pauseOf } from '../admission/pause-store.ts';
import { decideHold } from '../queue/decide-hold.ts';
import { listRunningWorkers } from '../queue/worker-store.ts';
import { readCircuits } from '../routes/circuit-store.ts';
import { type OpenCircuit, openStates } from '../routes/decide-circuit.ts';
import { countRunning } from '../routes/route-stats-store.ts';
import { countPendingDeliveries, countWaiting } from './metrics-store.ts';

export interface MeteredRoute extends DatedModel {
  id: string;
  model: ModelId;
  slots: number;
}

export async function measureInstallation(
  queries: Queries,
  { routes, alerts }: { routes: readonly MeteredRoute[]; alerts: readonly MarginAlert[] },
): Promise<Family[]> {
  const running = await countRunning(queries);
  const { circuits, nowMs } = await readCircuits(queries);
  const workers = await listRunningWorkers(queries);
  const deliveries = await countPendingDeliveries(queries);
  return [
    ...(await measureQueue(queries, { routes, running, circuits, nowMs, workers })),
    ...measureRoutes({ routes, running, circuits }),
    measureEnds(routes, nowMs),
    gauge(
      'darkroom_margin_alerts',
      'Models sold below their cost, or whose cost has risen: 1 per alert.',
      alerts.map(({ model, alert }) => ({
        labels: [
          ['model', model],
          ['alert', alert],
        ],
        value: 1,
      })),
    ),
    gauge('darkroom_workers', 'Running workers in all processes.', [one(workers.length)]),
    gauge('darkroom_deliveries_pending', 'Webhooks that wait for an attempt.', [one(deliveries.pending)]),
    gauge('darkroom_delivery_oldest_seconds', 'How long the most overdue webhook has been due.', [
      one(deliveries.overdueMs / 1000),
    ]),
    gauge('darkroom_sign_in_failures', 'Failed sign-ins of the last ten minutes.', [
      one((await readSignInFailures(queries)).count),
    ]),
  ];
}

interface Situation {
  routes: readonly MeteredRoute[];
  running: ReadonlyMap<string, number>;
  circuits: ReadonlyMap<string, OpenCircuit>;
}

async function measureQueue(
  queries: Queries,
  {
    routes,
    running,
    circuits,
    nowMs,
    workers,
  }: Situation & { nowMs: number; workers: Awaited<ReturnType<typeof listRunningWorkers>> },
): Promise<Family[]> {
  const counts = new Map((await countWaiting(queries)).map((count) => [count.model, count]));
  const pauses = await listPauses(queries);
  const models = [...new Set(routes.map(({ model }) => model))];
  const holdOf = (wanted: ModelId) =>
    decideHold({
      isPaused: pauseOf(pauses, wanted) !== undefined,
      workers,
      routes: routes
        .filter(({ model }) => model === wanted)
        .map(({ id, slots }) => ({
          isOut: (circuits.get(id)?.until ?? 0) > nowMs,
          running: running.get(id) ?? 0,
          slots,
        })),
    });
  return [
    gauge(
      'darkroom_jobs_waiting',
      'Jobs that wait for a slot or for a retry.',
      models.map((model) => ({ labels: [['model', model]], value: counts.get(model)?.waiting ?? 0 })),
    ),
    gauge(
      'darkroom_jobs_held',
      'Waiting jobs, by the first reason why they wait.',
      models.map((model) => ({
        labels: [
          ['model', model],
          ['reason', holdOf(model)],
        ],
        value: counts.get(model)?.waiting ?? 0,
      })),
    ),
    gauge(
      'darkroom_queue_oldest_seconds',
      'How long ago the oldest waiting job was created.',
      models.map((model) => {
        const oldest = counts.get(model)?.oldest;
        const ms = oldest === undefined ? 0 : Math.max(0, Date.now() - msOfId(oldest));
        return { labels: [['model', model]], value: ms / 1000 };
      }),
    ),
  ];
}

/** Measures the seconds until each model's end, negative afterwards. Skips models without a known end. */
function measureEnds(routes: readonly MeteredRoute[], nowMs: number): Family {
  return gauge(
    'darkroom_route_upstream_ends_seconds',
    'Time until the upstream model of a route ends, as announced by its vendor.',
    routes.flatMap((route): Sample[] => {
      const end = announcedEnd(route);
      if (!end) return [];
      const labels = [
        ['model', route.model],
        ['route', route.id],
        ['upstream', route.upstream ?? ''],
        ['next', end.next],
      ] as const;
      return [{ labels, value: (end.atMs - nowMs) / 1000 }];
    }),
  );
}

function measureRoutes({ routes, running, circuits }: Situation): Family[] {
  const each = (numberOf: (route: MeteredRoute) => number) =>
    routes.map((route): Sample => {
      const { id, model, provider } = route;
      const labels = [
        ['model', model],
        ['route', id],
        ['provider', provider],
      ] as const;
      return { labels, value: numberOf(route) };
    });
  const states = routes.flatMap(({ id }) => {
    const current = circuits.get(id)?.state ?? 'closed';
    return ['closed', ...openStates].map((state): Sample => {
      const labels = [
        ['route', id],
        ['state', state],
      ] as const;
      return { labels, value: state === current ? 1 : 0 };
    });
  });
  return [
    gauge(
      'darkroom_route_slots',
      'The most jobs that run at once, over all workers.',
      each(({ slots }) => slots),
    ),
    gauge(
      'darkroom_route_running',
      'Running jobs.',
      each(({ id }) => running.get(id) ?? 0),
    ),
    gauge('darkroom_route_state', '1 for the state that a route is in.', states),
  ];
}

function gauge(name: string, help: string, samples: Sample[]): Family {
  return { name, help, type: 'gauge', samples };
}

function one(value: number): Sample {
  return { labels: [], value };
}
