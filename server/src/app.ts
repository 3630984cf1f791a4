import { join } from 'node:path';
import { createAuthenticator } from './accounts/authenticate.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { type Demo, ensureDemo } from './first-start.ts';
import { apiPrefix, apiRoutes } from './http/api.ts';
import { trackRequests } from './http/drain.ts';
import { registerOpenApi } from './http/openapi.ts';
import { registerReference } from './http/reference.ts';
import { registerApi } from './http/register-api.ts';
import { problemSchema } from './http/schemas.ts';
import { createServer } from './http/server.ts';
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
import { createDescribeJobs } from './jobs/describe-jobs.ts';
import { createdSchema, jobSchema } from './jobs/job-schemas.ts';
import { findResult } from './jobs/job-store.ts';
import { startMaintenance } from './jobs/maintenance.ts';
import { createOpenOwnImage } from './jobs/open-own-image.ts';
import { openRoutes } from './jobs/open-route.ts';
import type { Route } from './jobs/route.ts';
import { createSignals, type JobSignals } from './jobs/signals.ts';
import { createTakeInputs } from './jobs/take-inputs.ts';
import { startWorker } from './jobs/worker.ts';
import { balanceSchema } from './ledger/balance-routes.ts';
import { loadSecrets } from './secrets.ts';
import { type Clock, systemClock } from './std/clock.ts';
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
  addresses: () => readonly OwnAddress[];
}

/** Configuration in, a running app out. */
export async function startApp(config: Config, replacements: Replacements = {}): Promise<App> {
  await using stack = new AsyncDisposableStack();
  const base = await openBase(config, replacements, stack);
  if (config.role !== 'api') {
    const routes = replacements.routes ?? openRoutes(config.routes);
    for (const { provider } of routes) stack.defer(() => provider[Symbol.asyncDispose]?.());
    const { retentionMs, maxQueuedMs } = config;
    const { jobTimeoutMs } = config.worker;
    stack.use(startMaintenance({ ...base, retentionMs, maxQueuedMs, jobTimeoutMs }));
    stack.use(startWorker({ ...base, routes, policy: config.worker }));
    const deliverer = stack.use(startDeliverer({ ...base, policy: config.deliveries }));
    stack.use(wakeOnEvents(deliverer, base));
  }
  const edge =
    config.role === 'worker' ? { url: null, demo: null } : await openEdge(base, stack);
  const { database, images, log } = base;
  const running = stack.move();
  return { ...edge, database, images, log, [Symbol.asyncDispose]: () => running.disposeAsync() };
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
    ownAddresses: () => place.addresses(),
    ...(replacements.dnsServers && { dnsServers: replacements.dnsServers }),
  });
  const links = createLinkSigner({
    cdnUrl: () => config.http.cdnUrl ?? place.publicUrl(),
    secrets: await loadSecrets(config),
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
    publicUrl: () => publicUrl ?? `http://${shownHost}:${place.addresses()[0]?.port ?? port}`,
    addresses: () => [{ address: host, port }],
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
async function openEdge(base: Base, stack: AsyncDisposableStack): Promise<{ url: string; demo: Demo }> {
  const { config, clock, log, database, images, signals, place, links, guard } = base;
  const { host, port } = config.http;
  const publicUrl = () => place.publicUrl();
  const server = createServer({ log, publicUrl });
  const drain = trackRequests(server);
  const addresses = () => server.addresses().filter((address) => typeof address !== 'string'); // no pipes
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
    registerApi(scope, apiRoutes({ ...base, prices, currency, admit, takeInputs }), {
      authenticator: createAuthenticator({ database, clock }),
      clock,
      rateLimit: config.rateLimit,
    });
  });
  registerReference(server);
  registerImageRoutes(server, {
    images,
    links,
    findResult: (jobId) => findResult(database.read, jobId),
    onMissing: (jobId, key) => log.error('image.missing', { job_id: jobId, key }),
  });

  stack.defer(() => drain(config.worker.drainMs));
  await server.listen({ host, port });
  place.addresses = addresses;
  const url = publicUrl();
  return { url, demo: await ensureDemo({ database, clock }, { dataDir: config.dataDir, url }) };
}
