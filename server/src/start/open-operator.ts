import { adminKeyVerbs } from '../accounts/admin-keys/admin-key-verbs.ts';
import { findPayments, type PaymentSource } from '../accounts/payments/open-payments.ts';
import { createKeySealer } from '../accounts/payments/payment-keys.ts';
import { renewLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { readPrices } from '../accounts/price-groups/price-book.ts';
import { commandLine } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import { createMeter } from '../base/metrics/meter.ts';
import { type Clock, systemClock } from '../base/std/clock.ts';
import { toIso } from '../base/std/iso-time.ts';
import { createLog } from '../base/std/log.ts';
import { originOf } from '../base/std/origin-of.ts';
import { createOpaqueIds } from '../base/std/sealing/opaque-ids.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { openOpaqueKey } from '../config/opaque-key.ts';
import { SettingError } from '../errors.ts';
import { createLinkSigner, type LinkSigner } from '../images/image-links.ts';
import type { ImageStore } from '../images/image-store.ts';
import { openStore } from '../images/open-store.ts';
import { createDescribeJobs } from '../jobs/describe-jobs.ts';
import { createReadJob } from '../jobs/get-job.ts';
import { openRouteCheck } from '../jobs/routes/open-route-check.ts';
import { adoptStore, verifyOwnership } from '../jobs/upkeep/store-ownership.ts';
import { createSigningSealer } from '../notify/webhooks/secrets/signing-sealer.ts';
import { createTargetCheck } from '../notify/webhooks/webhook-target.ts';
import { readCatalogue } from '../upstream/catalog/catalogue.ts';
import { type AnswerHereDeps, answerHere } from '../web/admin/answer-here.ts';
import { connectionsBeside, guardBeside } from './beside-server.ts';
import { readServedUrl } from './demo-account.ts';
import { judgeSecret, openSecrets } from './judge-secret.ts';
import { openMigratedDatabase } from './open-database.ts';
import { createOpenSettings } from './open-settings.ts';
import { secretVerbs } from './secret-verbs.ts';
import { verifyVerbs } from './verify-verbs.ts';

export type { MigrationPlan } from '../base/db/migrating/plan-migration.ts';
export type { Finding } from './doctor/finding.ts';
export { examineInstallation } from './examine-installation.ts';
export { initMarking, type MarkingStatus, readMarking } from './marking/marking-verbs.ts';
export { backUpDatabase, migrateDatabase, planOfDatabase } from './migrate-database.ts';

/** The operations of commands, which may run beside a server on the same database. */
export type Operator = Awaited<ReturnType<typeof openOperator>>;

export async function openOperator(env: Environment) {
  const config = readConfig(env);
  const clock = systemClock;
  const database = await openMigratedDatabase(config);
  const guard = guardBeside(config, database);
  const { openCredentialSealer, readConnections } = connectionsBeside(config, database);
  const { routeEnvironment: environment, providerKeys: keys } = config;
  const { host, port } = config.http;
  const images = storeOnDemand(config);
  const mayRemove = async () => (await verifyOwnership({ database, images })) === 'ours';
  const publicUrl = async () =>
    config.http.publicUrl ?? (await readServedUrl(config.dataDir)) ?? originOf({ host, port });
  const deps = {
    database,
    clock,
    guard,
    storage: config.storage.kind,
    ...{ config, startedAt: clock.nowMs() },
    limitDefaults: config.limitDefaults,
    retention: config.retention,
    currency: config.currency,
    costRisePercent: config.costRisePercent,
    checkTarget: createTargetCheck(guard),
    // The sealer is opened on demand, because only some calls need the server's secret.
    openSealer: async () => createSigningSealer(await openSecrets(config, database)),
    sharing: config.sharing,
    ofFile: config.connections,
    fileModels: config.models,
    implied: environment.implied,
    openCredentialSealer,
    readConnections,
    openRouteCheck: () => openRouteCheck({ environment, keys, readConnections, guard }),
    payments: await paymentsBeside(config, database),
    openSettings: createOpenSettings(database, config, readConnections),
    followChanges: async () => {}, // the running server itself follows changes
    images,
    mayRemove,
    routes: { list: () => [], servantsOf: () => undefined },
    onSettled: () => database.notify('finished'),
    onTakenAway: () => database.notify('taken_away'),
  };

  return {
    /** Opens a `fetch` of the administration API without a server. It throws the reason for a refusal. */
    openFetch: async () => openHere(config, deps, await publicUrl()),
    ...adminKeyVerbs(deps, commandLine),
    ...verifyVerbs({ database, config }),
    ...secretVerbs({ database, config }),
    ...systemVerbs(config, { database, clock, publicUrl }),
    async [Symbol.asyncDispose]() {
      await images[Symbol.asyncDispose]?.();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Without the right secret, commands work but the keys stay sealed. */
async function paymentsBeside(config: Config, database: Database): Promise<PaymentSource> {
  const verdict = await judgeSecret(config, database);
  const opener = 'secrets' in verdict ? createKeySealer(verdict.secrets) : { open: () => undefined };
  const payments = await findPayments(config.payments, {
    ...{ queries: database.read, sealer: opener },
    log: createLog({ level: 'silent', format: 'json' }),
  });
  return { current: () => payments };
}

async function openHere(
  config: Config,
  deps: Omit<
    AnswerHereDeps,
    'meter' | 'opaqueKey' | 'ids' | 'urls' | 'catalogue' | 'prices' | 'readJob' | OfImages
  >,
  publicUrl: string,
): Promise<typeof fetch> {
  const { database } = deps;
  const opaqueKey = await openOpaqueKey(database);
  const links = await openLinks(config, deps, publicUrl);
  return answerHere({
    ...deps,
    meter: createMeter(),
    log: createLog({ level: 'silent', format: 'json' }),
    opaqueKey,
    ids: createOpaqueIds(opaqueKey),
    urls: { publicUrl },
    catalogue: await readCatalogue(database.read),
    prices: await readPrices(database.read, deps.clock),
    readJob: createReadJob(database),
    links,
    describeJobs: createDescribeJobs(database, links),
    // No command requests renditions.
    renditions: { makeNow: async () => false, convert: async () => undefined },
  });
}

type OfImages = 'log' | 'links' | 'describeJobs' | 'renditions';

/** Signs with the running server's secret. Without the right secret, signing throws the reason. */
async function openLinks(
  config: Config,
  { database, clock }: { database: Database; clock: Clock },
  publicUrl: string,
): Promise<LinkSigner> {
  const verdict = await judgeSecret(config, database);
  const cdnUrl = () => config.http.cdnUrl ?? publicUrl;
  if ('secrets' in verdict) return createLinkSigner({ cdnUrl, secrets: verdict.secrets, clock });
  const refuse = () => {
    throw new SettingError(
      verdict.is === 'wrong' ? `${verdict.found}. ${verdict.next}` : 'No server ran yet.',
    );
  };
  return { sign: refuse, verify: refuse, secondsLeft: refuse };
}

/** Opens the store on first use, because most commands do not need it. */
function storeOnDemand(config: Config): ImageStore {
  let opened: Promise<ImageStore> | undefined;
  const open = () => {
    opened ??= openStore(config);
    return opened;
  };
  return {
    kind: config.storage.kind,
    put: async (...put) => (await open()).put(...put),
    get: async (...get) => (await open()).get(...get),
    remove: async (key) => (await open()).remove(key),
    async *list(prefix) {
      yield* (await open()).list(prefix);
    },
    check: async () => (await open()).check(),
    sweep: async () => (await open()).sweep(),
    [Symbol.asyncDispose]: async () => (await opened)?.[Symbol.asyncDispose]?.(),
  };
}

function systemVerbs(
  config: Config,
  deps: { database: Database; clock: Clock; publicUrl(): Promise<string> },
) {
  const { database } = deps;
  return {
    /** Claims the image store for this database. Operators decide whether images of unknown jobs stay. */
    async adoptStore({ unknown }: { unknown: 'keep' | 'remove' }) {
      const images = await openStore(config);
      try {
        return await adoptStore({ database, images }, { unknown }, commandLine);
      } finally {
        await images[Symbol.asyncDispose]?.();
      }
    },
    /** Creates a link to the panel, by default for the first operator or, once removed, the oldest admin. */
    async panelLink({ email }: { email?: string } = {}) {
      const link = await renewLink(deps, email === undefined ? {} : { email }, commandLine);
      return { url: linkUrl(await deps.publicUrl(), link), expires_at: toIso(link.expiresAt) };
    },
  };
}
