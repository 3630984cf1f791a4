import { join } from 'node:path';
import { type LivePayments, openPayments } from '../accounts/payments/open-payments.ts';
import { openPriceBook, type Prices } from '../accounts/price-groups/price-book.ts';
import { type AuthenticatorSeals, openAuthenticatorSeals } from '../accounts/sign-in/authenticator-seals.ts';
import { type LiveBrand, openBrand } from '../base/brand/live-brand.ts';
import type { Database } from '../base/db/database.ts';
import { migrate } from '../base/db/migrating/migrate.ts';
import { type Changes, openChanges } from '../base/db/open-changes.ts';
import { createGuard, type Guard } from '../base/guard/guard.ts';
import type { OwnAddress } from '../base/guard/own-addresses.ts';
import { type KeptAnswers, keepAnswers } from '../base/http/kept-answers/keep-answers.ts';
import { createListCursors, type ListCursors } from '../base/http/list-cursors.ts';
import { createMeter, type Meter } from '../base/metrics/meter.ts';
import { type Clock, systemClock } from '../base/std/clock.ts';
import { ownDelay } from '../base/std/lateness/own-delay.ts';
import { createLog, type Log } from '../base/std/log.ts';
import { originOf } from '../base/std/origin-of.ts';
import type { Sealer } from '../base/std/sealer.ts';
import { createOpaqueIds, type OpaqueIds } from '../base/std/sealing/opaque-ids.ts';
import { openTracing } from '../base/tracing/open-tracing.ts';
import { withTraceIds } from '../base/tracing/trace-ids.ts';
import type { Tracing } from '../base/tracing/tracing.ts';
import type { Config } from '../config/config.ts';
import { openOpaqueKey, readLastPlainPosition } from '../config/opaque-key.ts';
import { createLinkSigner, type LinkSigner } from '../images/image-links.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { FetchLimits } from '../images/inputs/limits.ts';
import { sweepTemp } from '../images/inputs/temp-folder.ts';
import { meterStore } from '../images/meter-store.ts';
import { openCheckedStore } from '../images/open-store.ts';
import { openRenditions, type Renditions } from '../images/renditions/renditions.ts';
import { openSigner, type Signer } from '../images/signing/open-signer.ts';
import type { UploadLimits } from '../images/uploads/limits.ts';
import { noteRefusal } from '../jobs/admission/refusals/note-refusal.ts';
import type { FindSource } from '../jobs/costs/cost-of-taken.ts';
import { createDescribeJobs } from '../jobs/describe-jobs.ts';
import { createReadJob, type ReadJob } from '../jobs/get-job.ts';
import { createGuardrail, type Guardrail } from '../jobs/guardrails/guardrail.ts';
import { type LiveRoutes, openLiveRoutes } from '../jobs/routes/live-routes.ts';
import { estimateOf, type Route } from '../jobs/routes/route.ts';
import { createSignals, type JobSignals } from '../jobs/signals.ts';
import { openSealer } from '../notify/webhooks/secrets/signing-sealer.ts';
import type { DescribeJobs } from '../notify/webhooks/webhook-body.ts';
import { type CheckTarget, createTargetCheck } from '../notify/webhooks/webhook-target.ts';
import { applyFile, ensureModels } from '../upstream/catalog/apply-file.ts';
import { type LiveCatalogue, openCatalogue } from '../upstream/catalog/catalogue.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import {
  openCredentialSealer,
  readConnections as readAllConnections,
} from '../upstream/connections/read-connections.ts';
import { openRateBook, type RateBook } from '../upstream/prices/rate-book.ts';
import { version } from '../version.ts';
import { checkModels } from './check-models.ts';
import { openDataFolder } from './data-folder.ts';
import { noteCurrentSecret, openSecrets, refuseWrongSecret } from './judge-secret.ts';
import { meterDelays } from './meter-delays.ts';
import { isDatabaseThere, openDatabase } from './open-database.ts';
import { servicesOf } from './services-of.ts';
import { type DiskWatch, watchDisks } from './watch-disks.ts';

export interface Replacements {
  clock?: Clock;
  log?: Log;
  images?: ImageStore;
  routes?: readonly Route[];
  /** The DNS servers that the guard uses, as `address:port`. */
  dnsServers?: readonly string[];
  fetchLimits?: Partial<FetchLimits>;
  uploadLimits?: Partial<UploadLimits>;
  packagesDir?: string;
}

export interface Base {
  config: Config;
  clock: Clock;
  log: Log;
  tracing: Tracing;
  meter: Meter;
  database: Database;
  images: ImageStore;
  /** The service or word list that can refuse prompts and images; null for none. */
  guardrail: Guardrail | null;
  signer: Signer | null;
  payments: LivePayments;
  tempDir: string;
  disks: DiskWatch;
  renditions: Renditions;
  /** Changes by operators, which the catalogue, prices, brand and rates follow. */
  changes: Changes;
  catalogue: LiveCatalogue;
  prices: Prices;
  brand: LiveBrand;
  rates: RateBook;
  routes: LiveRoutes;
  signals: JobSignals;
  urls: PublicUrls;
  secrets: readonly string[];
  /** Converts row numbers, and positions in lists, to opaque ids. */
  ids: OpaqueIds;
  cursors: ListCursors;
  answers: KeptAnswers;
  lastPlainPosition: number;
  links: LinkSigner;
  /** Seals webhook secrets. */
  sealer: Sealer;
  credentialSealer: Sealer;
  authenticators: AuthenticatorSeals;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  guard: Guard;
  fetchLimits: Partial<FetchLimits>;
  uploadLimits: Partial<UploadLimits>;
  packagesDir: string | undefined;
  checkTarget: CheckTarget;
  readJob: ReadJob;
  describeJobs: DescribeJobs;
  /** Notifies this and other processes that jobs ended. */
  onSettled(jobIds: string[]): void;
  /** Notifies workers, in this process and others, that one of their leases was taken away. */
  onTakenAway(): void;
}

/** The addresses at which clients reach the server. With port 0, they are replaced once the server listens. */
interface PublicUrls {
  publicUrl: string;
  /** The prefix of image links. */
  cdnUrl: string;
  addresses: readonly OwnAddress[];
}

/** `stack` closes what this opens. */
export async function openBase(
  config: Config,
  replacements: Replacements,
  stack: AsyncDisposableStack,
): Promise<Base> {
  const clock = replacements.clock ?? systemClock;
  const { log, tracing, meter } = await openWatching(config, replacements, stack);
  await openDataFolder(config.dataDir, log);
  const images = meterStore(replacements.images ?? (await openCheckedStore(config, log)), meter);
  stack.defer(() => images[Symbol.asyncDispose]?.());
  const { tempDir, disks } = await openFolders(config, { log, meter }, stack);
  const database = stack.use(await openMigrated(config, { clock, log, meter }));
  const secrets = await openSecrets(config, database);
  const changes = stack.use(openChanges(database, log));
  const catalogue = await readModels({ database, changes, log }, config);
  const prices = await openPriceBook(database, { changes, clock });
  const brand = await openBrand(database, changes);
  const rates = await openRateBook(database, changes);
  const signer = config.signing && stack.use(openSigner(config.signing, { clock, log, meter }));
  const renditions = stack.use(
    openRenditions({ ...{ database, images, signer, tempDir, log }, ahead: config.renditionsAhead }),
  );
  const signals = createSignals(meter);
  stack.defer(database.listen('finished', () => signals.finishedElsewhere()));
  const urls = publicUrlsOf(config.http);
  const guard = createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => [...urls.addresses, ...healthAddress(config.http)],
    ownUrls: () => [urls.publicUrl, urls.cdnUrl],
    ownServices: servicesOf(database, () => routes.settings()),
    ...(replacements.dnsServers && { dnsServers: replacements.dnsServers }),
  });
  const payments = await openPayments(config.payments, { database, changes, secrets, log });
  const sealers = await openSealers(secrets, database, log);
  await noteCurrentSecret(database, secrets);
  const readConnections = () =>
    readAllConnections(database.read, sealers.credentialSealer, config.connections);
  const routes: LiveRoutes = replacements.routes
    ? fixedRoutes(replacements.routes, config)
    : stack.use(await readRoutes({ config, catalogue, readConnections, guard, log }));
  const links = createLinkSigner({ cdnUrl: () => urls.cdnUrl, secrets, clock });
  return {
    config,
    clock,
    log,
    tracing,
    meter,
    database,
    images,
    guardrail: openGuardrail(config, { database, images, meter, tracing, log }),
    ...{ tempDir, disks, renditions, signer },
    ...{ changes, payments, catalogue, prices, rates, brand, routes, signals, urls, secrets },
    ...(await openSealed(database, secrets)),
    ...{ links, ...sealers },
    readConnections,
    guard,
    ...overridesOf(replacements),
    checkTarget: createTargetCheck(guard),
    readJob: createReadJob(database),
    describeJobs: createDescribeJobs(database, links),
    onSettled(jobIds) {
      signals.finished(jobIds);
      database.notify('finished');
    },
    onTakenAway() {
      signals.takenAway();
      database.notify('taken_away');
    },
  };
}

function openGuardrail(
  { guardrails }: Config,
  base: Pick<Base, 'database' | 'images' | 'meter' | 'tracing' | 'log'>,
): Guardrail | null {
  if (!guardrails) return null;
  return createGuardrail(guardrails, {
    ...base,
    note: (refusal) => noteRefusal(base.database, guardrails, refusal),
  });
}

/** Seals everything again, for every role: once the current secret is noted, a start with it alone is allowed. */
async function openSealers(
  secrets: readonly string[],
  database: Database,
  log: Log,
): Promise<Pick<Base, 'sealer' | 'credentialSealer' | 'authenticators'>> {
  return {
    sealer: await openSealer(secrets, database, log),
    credentialSealer: await openCredentialSealer(secrets, database, log),
    authenticators: await openAuthenticatorSeals(secrets, database, log),
  };
}

async function openSealed(
  database: Database,
  secrets: readonly string[],
): Promise<Pick<Base, 'ids' | 'cursors' | 'answers' | 'lastPlainPosition'>> {
  const key = await openOpaqueKey(database);
  const lastPlainPosition = await readLastPlainPosition(database);
  const answers = keepAnswers({ database, secrets });
  return { ids: createOpaqueIds(key), cursors: createListCursors(key), answers, lastPlainPosition };
}

/** Opens and migrates the database. Every check that can refuse a start is made before the first write. */
async function openMigrated(
  config: Config,
  { clock, log, meter }: Pick<Base, 'clock' | 'log' | 'meter'>,
): Promise<Database> {
  const isThere = isDatabaseThere(config);
  if (!isThere) await checkModels(config, null);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { clock, meter, log }));
  if (isThere) {
    await refuseWrongSecret(config, database);
    await checkModels(config, database);
  }
  const { from, to } = await migrate(database);
  if (from !== to) log.info('database.migrated', { from, to });
  stack.move();
  return database;
}

function healthAddress({ host, healthPort }: Config['http']): OwnAddress[] {
  return healthPort === null ? [] : [{ address: host, port: healthPort }];
}

function overridesOf({ fetchLimits = {}, uploadLimits = {}, packagesDir }: Replacements) {
  return { fetchLimits, uploadLimits, packagesDir };
}

/** Opens the log, metrics and traces, which close last. */
async function openWatching(config: Config, { log: given }: Replacements, stack: AsyncDisposableStack) {
  const log = withTraceIds(given ?? createLog(config.log));
  stack.defer(() => log.flush());
  const about = { log, version, role: config.role };
  const meter = createMeter();
  meter.reading(
    'darkroom_build_info',
    'The program that this process runs: always 1.',
    ['version', 'node'],
    () => [[1, [version, process.version]]],
  );
  stack.use(ownDelay.watch());
  meterDelays(meter);
  return { log, meter, tracing: stack.use(await openTracing(config.tracing, about)) };
}

async function openFolders(
  { dataDir, storage }: Config,
  { log, meter }: Pick<Base, 'log' | 'meter'>,
  stack: AsyncDisposableStack,
): Promise<Pick<Base, 'tempDir' | 'disks'>> {
  const tempDir = join(dataDir, 'incoming');
  const { removed } = await sweepTemp(tempDir);
  if (removed > 0) log.info('inputs.swept', { removed });
  const images = storage.kind === 'disk' ? storage.folder : undefined;
  const folders = { data: dataDir, ...(images !== undefined && { images }) };
  return { tempDir, disks: stack.use(await watchDisks(folders, meter)) };
}

async function readModels(
  { database, changes, log }: { database: Database; changes: Changes; log: Log },
  config: Config,
) {
  await ensureModels(database);
  const changed = await applyFile(database, config.models);
  if (changed.length > 0)
    log.info('models.changed', { by: 'the configuration file', models: changed.join(', ') });
  return openCatalogue(database, changes);
}

function readRoutes({
  config,
  ...base
}: Pick<Base, 'config' | 'catalogue' | 'readConnections' | 'guard' | 'log'>) {
  return openLiveRoutes({
    ...base,
    environment: config.routeEnvironment,
    keys: config.providerKeys,
    works: config.role !== 'api',
  });
}

function fixedRoutes(routes: readonly Route[], { role, routes: configured }: Config): LiveRoutes {
  const list = role === 'api' ? [] : routes;
  const servantsOf = (id: string) => routes.filter(({ model }) => model === id);
  const sourceOf: FindSource = (id) => {
    const route = routes.find((one) => one.id === id);
    if (!route) return undefined;
    const { provider } = route;
    const estimateMicros = (resolution: string) => estimateOf(route, resolution);
    return { provider: provider.id, upstreamModel: provider.model, estimateMicros };
  };
  return { list: () => list, settings: () => configured, servantsOf, sourceOf };
}

/** Call this once rather than per request: parsing a URL takes a fifth of the time of a poll. */
export function publicUrlsOf(
  { host, port, publicUrl, cdnUrl }: Config['http'],
  addresses: readonly OwnAddress[] = [{ address: host, port }],
): PublicUrls {
  const origin = publicUrl ?? originOf({ host, port: addresses[0]?.port ?? port });
  return { publicUrl: origin, cdnUrl: cdnUrl ?? origin, addresses };
}
