import { setImmediate } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { readSignInFailures } from '../accounts/sign-in/watch-sign-ins.ts';
import type { ModelId } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import { readSetting, writeSetting } from '../db/settings-store.ts';
import { readCircuits } from '../routes/circuit-store.ts';
import { type OpenCircuit, openStates } from '../routes/decide-circuit.ts';
import { countRunning } from '../routes/route-stats-store.ts';
import { msOfId } from '../std/ids.ts';
import { newWorkerId } from '../std/worker-id.ts';
import { isHolder } from './is-holder.ts';
import { countWaiting, listEndings } from './metrics-store.ts';
import { addEndings, expose, noTotals, type Totals } from './metrics-totals.ts';

/** The labels of a route in metrics. */
export interface MeteredRoute {
  id: string;
  model: ModelId;
  provider: string;
  slots: number;
}

export interface Metrics {
  /** Metrics in Prometheus's text format. Concurrent calls share one reading. */
  read(): Promise<string>;
  contentType: string;
}

// Several scrapers share one reading.
const keepMs = 1_000;
// A page of ended jobs is read in a few milliseconds, and requests are served between pages.
const pageSize = 1_000;
// The first reading may find a month of ended jobs; later readings count the rest.
const pagesOfReading = 50;
// Longer than the minute between two scrapes of most installations.
const exportMs = 150_000;
const totalsName = 'metrics_totals';
const exporterName = 'metrics_exporter';

/**
 * Metrics of the installation, read from the database, and of this process. Every process is scraped, so only
 * one exports those of the installation, or sums would be wrong: the first to be scraped, for as long as it
 * is.
 */
export function createMetrics(database: Database, listRoutes: () => readonly MeteredRoute[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const installation = new Registry();
  const instruments = createInstruments(installation, listRoutes);
  const name = newWorkerId(Date.now());
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    if (!(await isHolder(database, { of: exporterName, name, forMs: exportMs }))) return registry.metrics();
    const totals = await countEndings(database);
    instruments.setQueue(await countWaiting(database.read));
    const { circuits } = await readCircuits(database.read);
    instruments.setRoutes(await countRunning(database.read), circuits);
    instruments.setSignIns((await readSignInFailures(database.read)).count);
    return [await registry.metrics(), await installation.metrics(), expose(totals)].join('\n');
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

/** Adds jobs that ended since the last reading, in any process. */
async function countEndings(database: Database): Promise<Totals> {
  const kept = await readSetting(database.read, totalsName);
  let totals = kept === undefined ? noTotals : (JSON.parse(kept) as Totals); // written below
  const before = totals.seq;
  for (let page = 0; page < pagesOfReading; page += 1) {
    const endings = await listEndings(database.read, totals.seq, pageSize);
    totals = addEndings(totals, endings);
    if (endings.length < pageSize) break;
    await setImmediate();
  }
  if (totals.seq !== before)
    await database.transaction((tx) => writeSetting(tx, totalsName, JSON.stringify(totals)));
  return totals;
}

function createInstruments(registry: Registry, listRoutes: () => readonly MeteredRoute[]) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `darkroom_${name}`, help, labelNames, registers });
  const waiting = gauge('jobs_waiting', 'Jobs that wait for a place or rest between attempts.', ['model']);
  const oldest = gauge('queue_oldest_seconds', 'How long ago the oldest waiting job was created.', ['model']);
  const signIns = gauge('sign_in_failures', 'Sign-ins that failed in the last ten minutes.', []);
  const labels = ['model', 'route', 'provider'] as const;
  const slots = gauge('route_slots', 'Jobs at once, over all workers together.', labels);
  const running = gauge('route_running', 'Jobs that run now.', labels);
  const state = gauge('route_state', '1 for the state that a route is in.', ['route', 'state']);

  return {
    setQueue(counts: Awaited<ReturnType<typeof countWaiting>>): void {
      for (const gauge of [waiting, oldest]) gauge.reset();
      for (const { model } of listRoutes()) {
        const found = counts.find((count) => count.model === model);
        waiting.set({ model }, found?.waiting ?? 0);
        oldest.set({ model }, found ? Math.max(0, (Date.now() - msOfId(found.oldest)) / 1000) : 0);
      }
    },
    setSignIns(failures: number): void {
      signIns.set(failures);
    },
    setRoutes(counts: Map<string, number>, circuits: ReadonlyMap<string, OpenCircuit>): void {
      for (const gauge of [slots, running, state]) gauge.reset(); // routes come and go
      for (const { id, model, provider, slots: most } of listRoutes()) {
        slots.set({ model, route: id, provider }, most);
        running.set({ model, route: id, provider }, counts.get(id) ?? 0);
        const current = circuits.get(id)?.state ?? 'closed';
        for (const name of ['closed', ...openStates])
          state.set({ route: id, state: name }, name === current ? 1 : 0);
      }
    },
  };
}
