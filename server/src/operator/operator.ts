import { commandLine } from '../accounts/audit-store.ts';
import { renewLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { ensureModels } from '../catalog/apply-file.ts';
import { type Catalogue, readCatalogue } from '../catalog/catalogue.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { loadSecrets } from '../config/secrets.ts';
import { listConnections } from '../connections/connection-store.ts';
import {
  createCredentialSealer,
  readConnections as readAllConnections,
} from '../connections/open-connections.ts';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createGuard, type Guard } from '../guard/guard.ts';
import { openStore } from '../images/open-store.ts';
import { readMargins } from '../jobs/read-margins.ts';
import { checkRoute } from '../routes/check-route.ts';
import { describeGap, findGaps } from '../routes/coverage.ts';
import { openRouteCheck } from '../routes/open-route-check.ts';
import { type Credentials, openRoutes, type RouteSettings } from '../routes/open-routes.ts';
import { configuredRoute, reportRoutes } from '../routes/report-routes.ts';
import { resolveRoutes, routedModels } from '../routes/resolve-routes.ts';
import { readServedUrl } from '../start/demo-account.ts';
import { servicesOf } from '../start/services-of.ts';
import { type Clock, systemClock } from '../std/clock.ts';
import { toIso } from '../std/iso-time.ts';
import { originOf } from '../std/origin-of.ts';
import { adoptStore } from '../upkeep/store-ownership.ts';
import { verifyImages } from '../upkeep/verify-images.ts';
import { countVerified, findViolations } from '../upkeep/verify-store.ts';
import { version } from '../version.ts';
import { openSealerBeside } from '../webhooks/endpoints/signing-sealer.ts';
import { createTargetCheck } from '../webhooks/endpoints/webhook-target.ts';
import { accountVerbs } from './account-verbs.ts';
import { archiveVerbs } from './archive-verbs.ts';
import { connectionVerbs } from './connection-verbs.ts';
import { keyVerbs } from './key-verbs.ts';
import { limitVerbs } from './limit-verbs.ts';
import { modelVerbs } from './model-verbs.ts';
import { pauseVerbs } from './pause-verbs.ts';
import { readStatus } from './read-status.ts';
import { retentionVerbs } from './retention-verbs.ts';
import { webhookVerbs } from './webhook-verbs.ts';

export type { MigrationPlan } from '../db/plan-migration.ts';
export { migrateDatabase, planOfDatabase } from './migrate-database.ts';

/** What an operator can do beside a running server, with the same operations on the same database. */
export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function openOperator(env: Environment) {
  const config = readConfig(env);
  const clock = systemClock;
  const database = await connect({ url: config.databaseUrl, dataDir: config.dataDir, clock });
  await migrate(database);
  await ensureModels(database);
  const deps = { database, clock };
  const { host, port, publicUrl, cdnUrl } = config.http;
  const guard = createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => [{ address: host, port }],
    ownUrls: () => [publicUrl, cdnUrl].filter((url) => url !== null),
    ownServices: servicesOf(database, () => config.routes),
  });
  const shared = {
    ...deps,
    guard,
    checkTarget: createTargetCheck(guard),
    // Opened on demand: only the webhook verbs need the server's secret.
    openSealer: async () => openSealerBeside(await loadSecrets(config, database), database),
  };

  const openCredentialSealer = async () => {
    const secrets = await loadSecrets(config, database);
    await openSealerBeside(secrets, database);
    return createCredentialSealer(secrets);
  };
  const readConnections = async () => {
    const isEmpty = (await listConnections(database.read)).length === 0;
    if (isEmpty) return config.connections; // without touching the secret
    return readAllConnections(database.read, await openCredentialSealer(), config.connections);
  };
  const openSettings: OpenSettings = async () => {
    const catalogue = await readCatalogue(database.read);
    const connections = await readConnections();
    const settings = resolveRoutes(routedModels(catalogue), config.routeEnvironment, connections);
    return { catalogue, settings, connections, keys: config.providerKeys };
  };
  const { routeEnvironment: environment, providerKeys: keys } = config;

  return {
    ...accountVerbs({ ...shared, currency: config.currency }),
    ...archiveVerbs({ database, config }),
    ...keyVerbs(shared),
    ...limitVerbs({ database, limitDefaults: config.limitDefaults }),
    ...retentionVerbs({ database, retention: config.retention }),
    ...webhookVerbs(shared),
    ...pauseVerbs(deps),
    ...modelVerbs({
      database,
      openRouteCheck: () => openRouteCheck({ environment, keys, readConnections, guard }),
    }),
    ...connectionVerbs({ database, ofFile: config.connections, openCredentialSealer, readConnections }),
    ...routeVerbs(database, guard, openSettings),
    ...systemVerbs(config, deps, openSettings),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The routes of all models as a server with this configuration would open them. */
type OpenSettings = () => Promise<Credentials & { catalogue: Catalogue; settings: RouteSettings[] }>;

function routeVerbs(database: Database, guard: Guard, openSettings: OpenSettings) {
  return {
    /**
     * Every route with its circuit and its last 24 hours. `check` also calls each provider, which is free.
     */
    async routes({ check = false }: { check?: boolean } = {}) {
      const { catalogue, settings, ...credentials } = await openSettings();
      const reports = await reportRoutes(database, settings.map(configuredRoute));
      await using stack = new AsyncDisposableStack();
      const opened = openRoutes(settings, credentials, guard);
      for (const { provider } of opened) stack.defer(() => provider[Symbol.asyncDispose]?.());
      const checks = check ? await Promise.all(opened.map(checkRoute)) : [];
      return {
        routes: reports.map((report, index) => ({
          ...report,
          ...(checks[index] && { check: checks[index] }),
        })),
        uncovered: findGaps(catalogue.list(), opened).map(describeGap),
      };
    },

    /** What was earned with each model on each of the last seven days. */
    margins: () => readMargins(database.read),
  };
}

/** Verbs for the whole installation: status, verification, backup, image store, sign-in link. */
function systemVerbs(config: Config, deps: { database: Database; clock: Clock }, openSettings: OpenSettings) {
  const { database } = deps;
  return {
    async status() {
      return {
        version,
        database: database.kind,
        storage: config.storage.kind,
        ...(await readStatus(database, await openSettings())),
      };
    },
    /** Checks every invariant, images included. */
    async verify() {
      const images = await openStore(config);
      try {
        const checked = await countVerified(database.read);
        const violations = await findViolations(database.read);
        const verified = await verifyImages({ database, images });
        const all = [...violations, ...verified.violations];
        return { ok: all.length === 0, checked: { ...checked, images: verified.checked }, violations: all };
      } finally {
        await images[Symbol.asyncDispose]?.();
      }
    },
    /**
     * Claims the image store for this database. The operator has to say whether images of unknown jobs are
     * kept.
     */
    async adoptStore({ unknown }: { unknown: 'keep' | 'remove' }) {
      const images = await openStore(config);
      try {
        return await adoptStore({ database, images }, { unknown }, commandLine);
      } finally {
        await images[Symbol.asyncDispose]?.();
      }
    },
    async backup(file: string) {
      return { file, bytes: await database.backup(file) };
    },
    /** A one-time link into the panel, as the first operator or as the person with this e-mail. */
    async panelLink({ email }: { email?: string } = {}) {
      const link = await renewLink(deps, email === undefined ? {} : { email }, commandLine);
      const { host, port, publicUrl } = config.http;
      const url = publicUrl ?? (await readServedUrl(config.dataDir)) ?? originOf({ host, port });
      return { url: linkUrl(url, link), expires_at: toIso(link.expiresAt) };
    },
  };
}
