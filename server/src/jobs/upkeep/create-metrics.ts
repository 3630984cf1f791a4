import { setImmediate } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Database } from '../../base/db/database.ts';
import { readSetting, writeSetting } from '../../base/db/settings-store.ts';
import type { Meter } from '../../base/metrics/meter.ts';
import { toMetricText } from '../../base/metrics/metric-text.ts';
import { keepReading } from '../../base/std/lateness/keep-reading.ts';
import type { Log } from '../../base/std/log.ts';
import { newWorkerId } from '../../base/std/worker-id.ts';
import type { MarginAlert } from '../../notify/alerts/margin-alerts.ts';
import { type MeteredRoute, measureInstallation } from './installation-metrics.ts';
import { isHolder } from './is-holder.ts';
import { listEndings } from './metrics-store.ts';
import { addEndings, familiesOf, noTotals, type Totals } from './metrics-totals.ts';

export interface Metrics {
  /** Metrics in Prometheus's text format. Concurrent calls share one reading. */
  read(): Promise<string>;
  contentType: string;
}

// How long one reading is served to all scrapers.
const keepMs = 1_000;
// The number of ended jobs in a page, which is read in a few milliseconds. Requests are served between pages.
const pageSize = 1_000;
// The maximum number of pages per reading. If the first reading finds a month of ended jobs, later ones count the rest.
const pagesOfReading = 50;
// How long a process stays the exporter after a scrape. Most installations scrape every minute.
const exportMs = 150_000;
/** How long alerts are reused. They read a month of margins, too slow for a scrape, and change only from day to day. */
const alertsKeptMs = 10 * 60_000;
/** How often the event loop's lag is sampled. Every 10 ms, the library's default, took 0.25 % of a processor. */
const lagSampleMs = 50;
const totalsName = 'metrics_totals';
const exporterName = 'metrics_exporter';
/**
 * Gauges to leave out, because their names look like counters' names, which Prometheus's linter refuses. The gauges
 * that split the same values by type remain.
 */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/**
 * Every process exports its own metrics. Only one process exports the installation's, because a sum over all processes
 * would count those several times.
 */
export function createMetrics(
  database: Database,
  meter: Meter,
  listRoutes: () => readonly MeteredRoute[],
  readAlerts: () => Promise<MarginAlert[]>,
  log: Log,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const name = newWorkerId(Date.now());
  const alerts = keepReading<MarginAlert[]>({
    ...{ read: readAlerts, none: [], freshMs: alertsKeptMs, nowMs: () => performance.now() },
    onError: (error) => log.warn('metrics.alerts_not_read', { reason: String(error) }),
  });
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    const ofProcess = [await registry.metrics(), toMetricText(meter.read())];
    if (!(await isHolder(database, { of: exporterName, name, forMs: exportMs }))) return ofProcess.join('\n');
    const totals = familiesOf(await countEndings(database));
    const known = await alerts();
    const measured = await measureInstallation(database.read, { routes: listRoutes(), alerts: known });
    return [...ofProcess, toMetricText([...totals, ...measured])].join('\n');
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

/** Adds the jobs that ended since the last reading, in any process. */
async function countEndings(database: Database): Promise<Totals> {
  const kept = await readSetting(database.read, totalsName);
  let totals = kept === undefined ? noTotals : (JSON.parse(kept) as Totals); // this function wrote it
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
