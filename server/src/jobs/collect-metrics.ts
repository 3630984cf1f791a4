import { setImmediate } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { readSignInFailures } from '../accounts/people/watch-sign-ins.ts';
import type { ModelId } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import { msOfId } from '../std/ids.ts';
import { readHealth } from './health-store.ts';
import { countRunning, countWaiting, type Ending, listEndings, readLastEvent } from './metrics-store.ts';
import { type RouteHealth, routeStates } from './route-health.ts';

/** What metrics say of a route. */
export interface MeteredRoute {
  id: string;
  model: ModelId;
  provider: string;
  slots: number;
}

export interface Metrics {
  /** The exposition text of Prometheus. Calls that come together share one reading. */
  read(): Promise<string>;
  contentType: string;
}

// Several scrapers, or an impatient one, cost no more than one.
const keepMs = 1_000;
// A page of endings is read in a few milliseconds, and requests are served between two pages.
const pageSize = 1_000;
// Images take from a second to minutes.
const secondBuckets = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900];

/**
 * Numbers about jobs and routes, read from the database so that they cover every worker, and about this process. Counters
 * count from the first reading: each adds what ended since the one before.
 */
export function createMetrics(database: Database, routes: readonly MeteredRoute[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry, routes);
  let lastSeq: number | undefined;
  let reading: Promise<string> | undefined;

  async function countEndings(): Promise<void> {
    lastSeq ??= await readLastEvent(database.read);
    for (;;) {
      const endings = await listEndings(database.read, lastSeq, pageSize);
      for (const ending of endings) instruments.count(ending);
      lastSeq = endings.at(-1)?.seq ?? lastSeq;
      if (endings.length < pageSize) return;
      await setImmediate();
    }
  }

  async function read(): Promise<string> {
    await countEndings();
    instruments.setQueue(await countWaiting(database.read));
    instruments.setSignIns((await readSignInFailures(database.read)).count);
    const { health } = await readHealth(database.read);
    instruments.setRoutes(await countRunning(database.read), health);
    return registry.metrics();
  }

  return {
    contentType: registry.contentType,
    read() {
      if (!reading) {
        reading = read();
        const forget = () => setTimeout(() => (reading = undefined), keepMs).unref();
        reading.then(forget, () => (reading = undefined));
      }
      return reading;
    },
  };
}

function createInstruments(registry: Registry, routes: readonly MeteredRoute[]) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `darkroom_${name}`, help, labelNames, registers });
  const ended = new Counter({
    name: 'darkroom_jobs_ended_total',
    help: 'Jobs that ended, by how they ended and the route of their last attempt.',
    labelNames: ['model', 'route', 'status', 'error_code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'darkroom_job_seconds',
    help: 'From the start of the first attempt of a job that is done to its end.',
    labelNames: ['model', 'route'],
    buckets: secondBuckets,
    registers,
  });
  const waiting = gauge('jobs_waiting', 'Jobs that wait for a place or rest between attempts.', ['model']);
  const oldest = gauge('queue_oldest_seconds', 'How long ago the oldest waiting job was created.', ['model']);
  const signIns = gauge('sign_in_failures', 'Sign-ins that failed in the last ten minutes.', []);
  const labels = ['model', 'route', 'provider'] as const;
  const slots = gauge('route_slots', 'Jobs at once, over all workers together.', labels);
  const running = gauge('route_running', 'Jobs that run now.', labels);
  const state = gauge('route_state', '1 for the state that a route is in.', ['route', 'state']);

  return {
    count({ model, route, status, error_code, ms }: Ending): void {
      ended.inc({ model, route: route ?? '', status, error_code: error_code ?? '' });
      if (status === 'done' && ms !== null) seconds.observe({ model, route: route ?? '' }, ms / 1000);
    },
    setSignIns(failures: number): void {
      signIns.set(failures);
    },
    setQueue(counts: Awaited<ReturnType<typeof countWaiting>>): void {
      for (const { model } of routes) {
        const found = counts.find((count) => count.model === model);
        waiting.set({ model }, found?.waiting ?? 0);
        oldest.set({ model }, found ? Math.max(0, (Date.now() - msOfId(found.oldest)) / 1000) : 0);
      }
    },
    setRoutes(counts: Map<string, number>, health: ReadonlyMap<string, RouteHealth>): void {
      for (const { id, model, provider, slots: most } of routes) {
        slots.set({ model, route: id, provider }, most);
        running.set({ model, route: id, provider }, counts.get(id) ?? 0);
        const current = health.get(id)?.state ?? 'well';
        for (const name of ['well', ...routeStates])
          state.set({ route: id, state: name }, name === current ? 1 : 0);
      }
    },
  };
}
