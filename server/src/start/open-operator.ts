import { renewLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { commandLine } from '../audit/audit-store.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { openOpaqueKey } from '../config/opaque-key.ts';
import type { Database } from '../db/database.ts';
import { openStore } from '../images/open-store.ts';
import { adminKeyVerbs } from '../operator/admin-key-verbs.ts';
import { operatorVerbs } from '../operator/verbs.ts';
import { openRouteCheck } from '../routes/open-route-check.ts';
import { type Clock, systemClock } from '../std/clock.ts';
import { toIso } from '../std/iso-time.ts';
import { originOf } from '../std/origin-of.ts';
import { createOpaqueIds } from '../std/sealing/opaque-ids.ts';
import { adoptStore, verifyOwnership } from '../upkeep/store-ownership.ts';
import { createSigningSealer } from '../webhooks/secrets/signing-sealer.ts';
import { createTargetCheck } from '../webhooks/webhook-target.ts';
import { connectionsBeside, guardBeside } from './beside-server.ts';
import { readServedUrl } from './demo-account.ts';
import { openSecrets } from './judge-secret.ts';
import { openMigratedDatabase } from './open-database.ts';
import { createOpenSettings } from './open-settings.ts';
import { secretVerbs } from './secret-verbs.ts';
import { verifyVerbs } from './verify-verbs.ts';

export type { MigrationPlan } from '../db/migrating/plan-migration.ts';
export type { Finding } from '../doctor/finding.ts';
export type { OperatorVerbs } from '../operator/verbs.ts';
export { examineInstallation } from './examine-installation.ts';
export { backUpDatabase, migrateDatabase, planOfDatabase } from './migrate-database.ts';

/** What an operator can do beside a running server, with the same operations on the same database. */
export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function openOperator(env: Environment) {
  const config = readConfig(env);
  const clock = systemClock;
  const database = await openMigratedDatabase(config);
  const guard = guardBeside(config, database);
  const { openCredentialSealer, readConnections } = connectionsBeside(config, database);
  const { routeEnvironment: environment, providerKeys: keys } = config;
  const { host, port, publicUrl } = config.http;
  const deps = {
    database,
    clock,
    guard,
    storage: config.storage.kind,
    limitDefaults: config.limitDefaults,
    retention: config.retention,
    currency: config.currency,
    publicUrl: async () => publicUrl ?? (await readServedUrl(config.dataDir)) ?? originOf({ host, port }),
    checkTarget: createTargetCheck(guard),
    // Opened on demand: only some verbs need the server's secret.
    openSealer: async () => createSigningSealer(await openSecrets(config, database)),
    openIds: async () => createOpaqueIds(await openOpaqueKey(database)),
    ofFile: config.connections,
    fileModels: config.models,
    implied: environment.implied,
    openCredentialSealer,
    readConnections,
    openRouteCheck: () => openRouteCheck({ environment, keys, readConnections, guard }),
    openSettings: createOpenSettings(database, config, readConnections),
    followChanges: async () => {}, // the running server follows by itself
    async openImages() {
      const images = await openStore(config);
      return {
        images,
        mayRemove: async () => (await verifyOwnership({ database, images })) === 'ours',
        [Symbol.asyncDispose]: async () => images[Symbol.asyncDispose]?.(),
      };
    },
    // Workers notice what was taken away by their leases, and are told.
    routes: { list: () => [] },
    onSettled: () => database.notify('finished'),
    onTakenAway: () => database.notify('taken_away'),
  };

  return {
    ...operatorVerbs(deps, commandLine),
    ...adminKeyVerbs(deps, commandLine),
    ...verifyVerbs({ database, config }),
    ...secretVerbs({ database, config }),
    ...systemVerbs(config, deps),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Verbs that need the machine itself: image store, sign-in link. */
function systemVerbs(
  config: Config,
  deps: { database: Database; clock: Clock; publicUrl(): Promise<string> },
) {
  const { database } = deps;
  return {
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
    /** A one-time link into the panel, as the first operator or as the person with this e-mail. */
    async panelLink({ email }: { email?: string } = {}) {
      const link = await renewLink(deps, email === undefined ? {} : { email }, commandLine);
      return { url: linkUrl(await deps.publicUrl(), link), expires_at: toIso(link.expiresAt) };
    },
  };
}
