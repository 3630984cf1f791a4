import { setTimeout as sleep } from 'node:timers/promises';
import { followPayments } from './accounts/payments/follow-payments.ts';
import { followTopUps } from './accounts/payments/top-ups/follow-top-ups.ts';
import { findConfirmedPerson } from './accounts/people/email-store.ts';
import type { OutgoingEmail } from './accounts/people/outbox-store.ts';
import { createUnsubscribeLinks, type Scope } from './accounts/people/unsubscribe-links.ts';
import type { Database } from './base/db/database.ts';
import type { Changes } from './base/db/open-changes.ts';
import { type ClockWatch, createClockWatch } from './base/std/clock-watch.ts';
import type { Log } from './base/std/log.ts';
import { countBuffersAsMemory } from './base/std/memory/count-buffers.ts';
import { loadOnce } from './base/std/memory/load-once.ts';
import type { Sealer } from './base/std/sealer.ts';
import type { OpaqueIds } from './base/std/sealing/opaque-ids.ts';
import type { Config } from './config/config.ts';
import type { ImageStore } from './images/image-store.ts';
import { startEndingBatches } from './jobs/batches/start-ending-batches.ts';
import { readMarginAlerts } from './jobs/costs/read-margin-alerts.ts';
import { createFindImage } from './jobs/find-image.ts';
import { endDeadLeases } from './jobs/queue/end-dead-leases.ts';
import { startWorker } from './jobs/queue/worker.ts';
import { probeRejected } from './jobs/routes/circuit-store.ts';
import { describeGaps } from './jobs/routes/coverage.ts';
import { reportedRoutes } from './jobs/routes/report-routes.ts';
import type { Metrics } from './jobs/upkeep/create-metrics.ts';
import { startMaintenance } from './jobs/upkeep/maintenance.ts';
import { reportProcess } from './jobs/upkeep/report-process.ts';
import { type StoreWatch, watchOwnership } from './jobs/upkeep/store-ownership.ts';
import { tellPayments } from './notify/alerts/tell-payments.ts';
import { describeEmail } from './notify/emails/describe-email.ts';
import { createCopyImage } from './notify/webhooks/buckets/copy-image.ts';
import { type Deliverer, startDeliverer } from './notify/webhooks/deliveries/deliverer.ts';
import { noteMail } from './notify/webhooks/mail/email-store.ts';
import { createMailer } from './notify/webhooks/mail/mailer.ts';
import { startEmailer } from './notify/webhooks/start-emailer.ts';
import { checkPolicy } from './start/doctor/check-policy.ts';
import { type Base, openBase, type Replacements } from './start/open-base.ts';
import { type Edge, openEdge } from './start/open-edge.ts';
import { openHealth } from './start/open-health.ts';
import type { LiveCatalogue } from './upstream/catalog/catalogue.ts';

/** Disposing of the app stops accepting requests, finishes or hands back running jobs, and closes everything. */
export interface App extends Edge, AsyncDisposable {
  /** Sentences about possible requests that no route can serve. */
  uncovered: string[];
  /** Why no images are removed; null if they are. */
  storeNotice: string | null;
  changes: Pick<Changes, 'refresh'>;
  catalogue: LiveCatalogue;
  database: Database;
  images: ImageStore;
  sealer: Sealer;
  ids: OpaqueIds;
  log: Log;
}

// How long startup waits for the store. A working store answers in a fraction of this time.
const askStoreMs = 3_000;

const noEdge: Edge = { url: null, demo: null, panelLink: null, retire: () => {} };

export async function startApp(config: Config, replacements: Replacements = {}): Promise<App> {
  countBuffersAsMemory();
  await using stack = new AsyncDisposableStack();
  const base = await openBase(config, replacements, stack);
  const { database, images, sealer, ids, log, catalogue, routes } = base;
  const works = config.role !== 'api';
  const uncovered = describeGaps(catalogue.list(), routes);
  await warnOfPolicy(base);
  const watch = createClockWatch(base.clock);
  const store = watchOwnership(base);
  if (works) {
    for (const gap of uncovered) log.warn('routes.uncovered', { gap });
    await database.transaction(probeRejected);
    await startUpkeep({ ...base, watch, store }, stack);
  }
  stack.use(reportProcess({ database, log, role: config.role }));
  stack.use(startEndingBatches(base));
  const listing = stack.use(followPayments({ ...base, ...tellPayments }));
  const { currency } = config;
  stack.use(followTopUps({ ...base, ...tellPayments, currency, onAsked: () => listing.wake() }));
  const openMetrics = metricsOf(base);
  const health = await openHealth(base, openMetrics, stack);
  const edge =
    config.role === 'worker'
      ? noEdge
      : await openEdge({ ...base, openMetrics, mayRemove: () => store.mayRemove() }, stack);
  // The worker starts last and stops first, so that everything else works while its jobs finish.
  if (works)
    stack.use(
      startWorker({
        ...base,
        watch,
        policy: config.worker,
        limitDefaults: config.limitDefaults,
        currency: config.currency,
        marking: config.marking,
      }),
    );
  const running = stack.move();
  return {
    ...edge,
    retire(forMs) {
      health.retire();
      edge.retire(forMs);
    },
    uncovered,
    storeNotice: store.ownership === 'ours' ? null : store.ownership,
    changes: base.changes,
    catalogue,
    database,
    images,
    sealer,
    ids,
    log,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function warnOfPolicy({ config: { guardrails }, database, log }: Base): Promise<void> {
  const { status, found } = guardrails ? await checkPolicy(database.read, guardrails) : { status: 'ok' };
  if (status !== 'ok') log.warn('policy.accounts_unknown', { found });
}

/** Loads the metrics on first use. Installations that do not use them save the time and memory. */
function metricsOf({ config, database, routes, meter, log }: Base): () => Promise<Metrics> {
  return loadOnce(async () =>
    (await import('./jobs/upkeep/create-metrics.ts')).createMetrics(
      database,
      meter,
      () => reportedRoutes(routes),
      () => readMarginAlerts({ database, ...config }),
      log,
    ),
  );
}

async function startUpkeep(
  base: Base & { watch: ClockWatch; store: StoreWatch },
  stack: AsyncDisposableStack,
): Promise<void> {
  const { config, database, log, watch, urls } = base;
  const { retention, maxQueuedMs, deliveries, costRisePercent } = config;
  const { jobTimeoutMs, leaseMs } = config.worker;
  // Startup waits for the store's answer, which the banner shows. If the store is down, maintenance asks again later.
  const asked = base.store.mayRemove().catch(() => {});
  await Promise.race([asked, sleep(askStoreMs, undefined, { ref: false })]);
  const ended = await endDeadLeases(database);
  if (ended > 0) log.info('leases.ended', { of: 'dead processes', jobs: ended });
  const times = { retention, guardrails: config.guardrails, maxQueuedMs, jobTimeoutMs, costRisePercent };
  stack.use(startMaintenance({ ...base, ...times, leases: { watch, leaseMs } }));
  await noteMail(database, config.mail !== null);
  const publicUrl = () => urls.publicUrl;
  const off = createUnsubscribeLinks(base.secrets);
  const unsubscribeUrl = async (email: string, scope: Scope) => {
    const token = await off.tokenFor(database.read, email, scope);
    return token && `${publicUrl()}/unsubscribe/${token}`;
  };
  const { currency } = config;
  const takesPayments = () => base.payments.current() !== null;
  const languageOf = async (email: string) => (await findConfirmedPerson(database.read, email))?.readsIn;
  const emails = { currency, takesPayments, brand: base.brand.now, publicUrl, unsubscribeUrl, languageOf };
  const mailer = stack.use(createMailer(config.mail, emails));
  const model = () =>
    base.catalogue.list().find(({ action, modes, ratios }) => {
      return action === 'generate' && modes.includes('text') && ratios.includes('1:1');
    })?.id;
  const describe = (email: OutgoingEmail) =>
    describeEmail({ database, currency, publicUrl, model, unsubscribeUrl }, email);
  // Only a process with a mail server sends emails. Any other would claim emails that it cannot send.
  if (config.mail) stack.use(startEmailer({ database, log, mailer, describe }));
  const copyImage = createCopyImage({ findImage: createFindImage(database), images: base.images });
  const deliverer = stack.use(startDeliverer({ ...base, mailer, copyImage, policy: deliveries }));
  stack.use(wakeOnEvents(deliverer, base));
}

/** Wakes the deliverer when jobs finish or deliveries are replayed, in any process: these deliveries are due now. */
function wakeOnEvents(deliverer: Deliverer, { signals, database }: Base): Disposable {
  const stack = new DisposableStack();
  stack.defer(signals.onFinished(() => deliverer.wake()));
  for (const channel of ['finished', 'deliveries'] as const) {
    stack.defer(database.listen(channel, () => deliverer.wake()));
  }
  return stack;
}
