import { commandLine } from '../accounts/audit-store.ts';
import { renewLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { ensureModels } from '../catalog/apply-file.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { loadSecrets } from '../config/secrets.ts';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { openStore } from '../images/open-store.ts';
import { adminKeyVerbs } from '../operator/admin-key-verbs.ts';
import { retentionVerbs } from '../operator/retention-verbs.ts';
import { statementVerbs } from '../operator/statement-verbs.ts';
import { operatorVerbs } from '../operator/verbs.ts';
import { webhookVerbs } from '../operator/webhook-verbs.ts';
import { openRouteCheck } from '../routes/open-route-check.ts';
import { type Clock, systemClock } from '../std/clock.ts';
import { toIso } from '../std/iso-time.ts';
import { originOf } from '../std/origin-of.ts';
import { adoptStore } from '../upkeep/store-ownership.ts';
import { openSealerBeside } from '../webhooks/endpoints/signing-sealer.ts';
import { createTargetCheck } from '../webhooks/endpoints/webhook-target.ts';
import { archiveVerbs } from './archive-verbs.ts';
import { connectionsBeside, guardBeside } from './beside-server.ts';
import { readServedUrl } from './demo-account.ts';
import { createOpenSettings } from './open-settings.ts';
import { verifyVerbs } from './verify-verbs.ts';

export type { MigrationPlan } from '../db/plan-migration.ts';
export type { Finding } from '../doctor/finding.ts';
export type { OperatorVerbs } from '../operator/verbs.ts';
export { examineInstallation } from './examine-installation.ts';
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
  const guard = guardBeside(config, database);
  const { openCredentialSealer, readConnections } = connectionsBeside(config, database);
  const { routeEnvironment: environment, providerKeys: keys } = config;
  const deps = {
    database,
    clock,
    guard,
    storage: config.storage.kind,
    limitDefaults: config.limitDefaults,
    checkTarget: createTargetCheck(guard),
    // Opened on demand: only some verbs need the server's secret.
    openSealer: async () => openSealerBeside(await loadSecrets(config, database), database),
    ofFile: config.connections,
    openCredentialSealer,
    readConnections,
    openRouteCheck: () => openRouteCheck({ environment, keys, readConnections, guard }),
    openSettings: createOpenSettings(database, config, readConnections),
    followChanges: async () => {}, // the running server follows by itself
  };

  return {
    ...operatorVerbs(deps, commandLine),
    ...adminKeyVerbs(deps, commandLine),
    ...webhookVerbs(deps, commandLine),
    ...retentionVerbs({ database, retention: config.retention }, commandLine),
    ...statementVerbs({ database, currency: config.currency }),
    ...archiveVerbs({ database, config }),
    ...verifyVerbs({ database, config }),
    ...systemVerbs(config, deps),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Verbs that need the machine itself: backup, image store, sign-in link. */
function systemVerbs(config: Config, deps: { database: Database; clock: Clock }) {
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
