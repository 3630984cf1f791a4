import { join } from 'node:path';
import { createAuthenticator } from './accounts/authenticate.ts';
import { ensureFirstLink } from './accounts/people/first-operator.ts';
import { linkUrl } from './accounts/people/panel-link.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { type Demo, ensureDemo } from './first-start.ts';
import { apiPrefix, apiRoutes } from './http/api.ts';
import { openPanel } from './http/open-panel.ts';
import { registerOpenApi } from './http/openapi.ts';
import { registerReference } from './http/reference.ts';
import { registerApi } from './http/register-api.ts';
import { problemSchema } from './http/schemas.ts';
import { createPages } from './http/serve-panel.ts';
import { createServer } from './http/server.ts';
import { trackRequests } from './http/track-requests.ts';
import { createLinkSigner, type LinkSigner } from './images/image-links.ts';
import { registerImageRoutes } from './images/image-routes.ts';
import type { ImageStore } from './images/image-store.ts';
import { openStore } from './images/open-store.ts';
import { createDecoder } from './inputs/decoder.ts';
import { createGuard, type Guard, type OwnAddress } from './inputs/guard.ts';
import { downloadsInProcess, downloadsPerOwner } from './inputs/limits.ts';
import { createSlots } from './inputs/slots.ts';
import { sweepTemp } from './inputs/temp-folder.ts';
import { createAdmission } from './jobs/admit-jobs.ts';
import { describeGap, findGaps } from './jobs/coverage.ts';
import { createDescribeJobs } from './jobs/describe-jobs.ts';
import { endDeadLeases } from './jobs/end-dead-leases.ts';
import { retryRejected } from './jobs/health-store.ts';
import { createdSchema, jobSchema } from './jobs/job-schemas.ts';
import { findResult } from './jobs/job-store.ts';
import { startMaintenance } from './jobs/maintenance.ts';
import { registerMetrics } from './jobs/metrics-routes.ts';
import { createOpenOwnImage } from './jobs/open-own-image.ts';
import { openRoutes } from './jobs/open-route.ts';
import type { Route } from './jobs/route.ts';
import { createSignals, type JobSignals } from './jobs/signals.ts';
import { createTakeInputs } from './jobs/take-inputs.ts';
import { startWorker } from './jobs/worker.ts';
import { balanceSchema } from './ledger/balance-routes.ts';
import { loadSecrets } from './secrets.ts';
import { type Clock, systemClock } from './std/clock.ts';
import { createClockWatch } from './std/clock-watch.ts';
import { createLog, type Log } from './std/log.ts';
import { version } from './version.ts';
import { type Deliverer, startDeliverer } from './webhooks/deliverer.ts';
import { eventSchema } from './webhooks/event-routes.ts';
import type { DescribeJobs } from './webhooks/webhook-body.ts';
import { type CheckTarget, createTargetCheck } from './webhooks/webhook-target.ts';

/** What tests put in the place of the real thing. */
export interface Replacements {
  clock?: Clock;
  log?: Log;
  images?: ImageStore;
  routes?: readonly Route[];
  /** `address:port` of the DNS servers that the guard asks. */
  dnsServers?: readonly string[];
}

/** A running Darkroom. Disposing of it stops accepting, finishes or hands back what runs, and closes everything. */
export interface App extends AsyncDisposable {
  /** Where it listens; null for a worker. */
  url: string | null;
  demo: Demo | null;
  /** What clients may ask for and no route can make, in words. */
  uncovered: string[];
  /** Opens the panel once, as the first operator; null once anybody has, and for a worker. */
  panelLink: string | null;
  database: Database;
  images: ImageStore;
  log: Log;
}

/** What the parts share. */
interface Base {
  config: Config;
  clock: Clock;
  log: Log;
  database: Database;
  images: ImageStore;
  signals: JobSignals;
  place: Place;
  secrets: readonly string[];
  links: LinkSigner;
  guard: Guard;
  /** Judges URLs that webhooks are to call. */
  checkTarget: CheckTarget;
  describeJobs: DescribeJobs;
  /** Tells whoever waits, here or in another process, that jobs ended. */
  onSettled(jobIds: string[]): void;
}

/** Where clients reach us; a server on port 0 learns it when it listens. */
interface Place {
  publicUrl(): string;
  addresses: readonly OwnAddress[];
}

// Whoever waits for a job is answered at once; this is for creates whose inputs are on their way. With the time of running
// attempts it stays below the 30 s that supervisors give a process.
const requestPatienceMs = 5_000;

// New connections wait here for their turn, one a turn of the event loop. Those beyond are dropped, and their clients try
// again after 1, 3, 7, 15 s. The most that Linux grants by default.
const backlog = 4_096;

/** Configuration in, a running app out. */
export async function startApp(config: Config, replacements: Replacements = {}): Promise<App> {
  await using stack = new AsyncDisposableStack();
  const base = await openBase(config, replacements, stack);
  const routes =
    config.role === 'api' ? [] : (replacements.routes ?? openRoutes(config.routes, config.providerKeys));
  const uncovered = config.role === 'api' ? [] : findGaps(routes).map(describeGap);
  const watch = createClockWatch(base.clock);
  if (config.role !== 'api') {
    for (const gap of uncovered) base.log.warn('routes.uncovered', { gap });
    await base.database.transaction(retryRejected);
    for (const { provider } of routes) stack.defer(() => provider[Symbol.asyncDispose]?.());
    const { retentionMs, maxQueuedMs } = config;
    const { jobTimeoutMs, leaseMs } = config.worker;
    const ended = await endDeadLeases(base.database);
    if (ended > 0) base.log.info('leases.ended', { of: 'dead processes', jobs: ended });
    stack.use(
      startMaintenance({ ...base, retentionMs, maxQueuedMs, jobTimeoutMs, leases: { watch, leaseMs } }),
    );
    const deliverer = stack.use(startDeliverer({ ...base, watch, policy: config.deliveries }));
    stack.use(wakeOnEvents(deliverer, base));
  }
  const edge =
    config.role === 'worker'
      ? { url: null, demo: null, panelLink: null }
      : await openEdge({ ...base, routes }, stack);
  // Last to start and first to stop: it claims nothing more while the others still answer and deliver what it finishes.
  if (config.role !== 'api') stack.use(startWorker({ ...base, watch, routes, policy: config.worker }));
  const { database, images, log } = base;
  const running = stack.move();
  return { ...edge, uncovered, database, images, log, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function openBase(
  config: Config,
  replacements: Replacements,
  stack: AsyncDisposableStack,
): Promise<Base> {
  const clock = replacements.clock ?? systemClock;
  const log = replacements.log ?? createLog(config.log);
  stack.defer(() => log.flush());
  const database = stack.use(await connect({ url: config.databaseUrl, dataDir: config.dataDir, clock }));
  const { from, to } = await migrate(database);
  if (from !== to) log.info('database.migrated', { from, to });
  const images = replacements.images ?? (await openStore(config));
  stack.defer(() => images[Symbol.asyncDispose]?.());
  const signals = createSignals();
  stack.defer(database.listen('finished', () => signals.finishedElsewhere()));
  const onSettled = (jobIds: string[]) => {
    signals.finished(jobIds);
    database.notify('finished');
  };
  const place = placeOf(config);
  const guard = createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => place.addresses,
    ...(replacements.dnsServers && { dnsServers: replacements.dnsServers }),
  });
  const secrets = await loadSecrets(config, database);
  const links = createLinkSigner({
    cdnUrl: () => config.http.cdnUrl ?? place.publicUrl(),
    secrets,
    clock,
  });
  return {
    config,
    clock,
    log,
    database,
    images,
    signals,
    place,
    secrets,
    links,
    guard,
    checkTarget: createTargetCheck(guard, () => place.publicUrl()),
    describeJobs: createDescribeJobs(database, links),
    onSettled,
  };
}

/** As configured, until the server listens. */
function placeOf({ http: { host, port, publicUrl } }: Config): Place {
  const shownHost = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const place: Place = {
    publicUrl: () => publicUrl ?? `http://${shownHost}:${place.addresses[0]?.port ?? port}`,
    addresses: [{ address: host, port }],
  };
  return place;
}

/** Jobs that end, here or elsewhere, and replays leave deliveries that are due at once. */
function wakeOnEvents(deliverer: Deliverer, { signals, database }: Base): Disposable {
  const stack = new DisposableStack();
  stack.defer(signals.onFinished(() => deliverer.wake()));
  for (const channel of ['finished', 'deliveries'] as const) {
    stack.defer(database.listen(channel, () => deliverer.wake()));
  }
  return stack;
}

/** The HTTP side: listens last, when everything behind it is there. */
async function openEdge(
  base: Base & { routes: readonly Route[] },
  stack: AsyncDisposableStack,
): Promise<Pick<App, 'url' | 'demo' | 'panelLink'>> {
  const { config, clock, log, database, images, signals, place, links, guard } = base;
  const { host, port } = config.http;
  const publicUrl = () => place.publicUrl();
  const pages = createPages({ imageOrigin: () => new URL(config.http.cdnUrl ?? publicUrl()).origin });
  const server = createServer({ log, publicUrl, sendPage: pages.send });
  const requests = trackRequests(server, log);
  await pages.register(server);
  const decoder = stack.use(createDecoder());
  const tempDir = join(config.dataDir, 'incoming');
  const { removed } = await sweepTemp(tempDir);
  if (removed > 0) log.info('inputs.swept', { removed });

  const takeInputs = createTakeInputs({
    images,
    log,
    guard,
    decoder,
    tempDir,
    openOwn: createOpenOwnImage({
      cdnUrl: () => config.http.cdnUrl ?? publicUrl(),
      links,
      images,
      findResult: (jobId) => findResult(database.read, jobId),
    }),
    slots: createSlots(downloadsInProcess, downloadsPerOwner),
  });
  const admit = createAdmission(database, () => {
    signals.queued();
    database.notify('jobs');
  });
  const { prices, currency } = config;
  await registerOpenApi(server, {
    version,
    serverUrl: apiPrefix,
    schemas: [jobSchema, createdSchema, eventSchema, balanceSchema, problemSchema],
  });
  await server.register(async (scope) => {
    registerApi(
      scope,
      apiRoutes({ ...base, prices, currency, admit, takeInputs, closing: requests.closing }),
      {
        authenticator: createAuthenticator({ database, clock }),
        clock,
        rateLimit: config.rateLimit,
      },
    );
  });
  registerReference(server);
  registerImageRoutes(server, {
    images,
    links,
    findResult: (jobId) => findResult(database.read, jobId),
    onMissing: (jobId, key) => log.error('image.missing', { job_id: jobId, key }),
  });
  registerMetrics(server, {
    database,
    token: config.metricsToken,
    routes:
      base.routes.length > 0
        ? base.routes.map(({ provider, ...route }) => ({ ...route, provider: provider.id }))
        : config.routes,
  });
  const closing = new AbortController();
  await openPanel(server, {
    ...base,
    prices,
    admit,
    takeInputs,
    publicUrl,
    closing: closing.signal,
    installation: {
      role: config.role,
      currency,
      settings: config.settings,
      routes: config.routes,
      oidc: config.oidc,
      startedAt: clock.nowMs(),
    },
    oidc: config.oidc,
    secret: base.secrets[0] ?? '',
  });

  stack.defer(() => requests.drain(requestPatienceMs));
  stack.defer(() => closing.abort());
  await server.listen({ host, port, backlog });
  place.addresses = server.addresses().filter((address) => typeof address !== 'string'); // no pipes
  const url = publicUrl();
  const demo = await ensureDemo({ database, clock }, { dataDir: config.dataDir, url });
  const link = await ensureFirstLink({ database, clock });
  return { url, demo, panelLink: link && linkUrl(url, link) };
}
