import { commandLine } from '../accounts/audit-store.ts';
import { renewLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { loadSecrets } from '../config/secrets.ts';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createGuard, type Guard } from '../guard/guard.ts';
import { openStore } from '../images/open-store.ts';
import { checkRoute } from '../routes/check-route.ts';
import { describeGap, findGaps } from '../routes/coverage.ts';
import { openRoutes } from '../routes/open-routes.ts';
import { configuredRoute, reportRoutes } from '../routes/report-routes.ts';
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
import { keyVerbs } from './key-verbs.ts';
import { pauseVerbs } from './pause-verbs.ts';
import { readStatus } from './read-status.ts';
import { webhookVerbs } from './webhook-verbs.ts';

/** What an operator can do beside a running server, with the same operations on the same database. */
export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function openOperator(env: Environment) {
  const config = readConfig(env);
  const clock = systemClock;
  const database = await connect({ url: config.databaseUrl, dataDir: config.dataDir, clock });
  await migrate(database);
  const deps = { database, clock };
  const { host, port, publicUrl, cdnUrl } = config.http;
  const guard = createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => [{ address: host, port }],
    ownUrls: () => [publicUrl, cdnUrl].filter((url) => url !== null),
    ownServices: servicesOf(database, config),
  });
  const shared = {
    ...deps,
    guard,
    checkTarget: createTargetCheck(guard),
    // Opened on demand: only the webhook verbs need the server's secret.
    openSealer: async () => openSealerBeside(await loadSecrets(config, database), database),
  };

  return {
    ...accountVerbs(shared),
    ...keyVerbs(shared),
    ...webhookVerbs(shared),
    ...pauseVerbs(deps),
    ...routeVerbs(config, shared),
    ...systemVerbs(config, deps),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

function routeVerbs(config: Config, { database, guard }: { database: Database; guard: Guard }) {
  return {
    /**
     * Every route with its circuit and its last 24 hours. `check` also calls each provider, which is free.
     */
    async routes({ check = false }: { check?: boolean } = {}) {
      const reports = await reportRoutes(database, config.routes.map(configuredRoute));
      await using stack = new AsyncDisposableStack();
      const opened = openRoutes(config.routes, config.providerKeys, guard);
      for (const { provider } of opened) stack.defer(() => provider[Symbol.asyncDispose]?.());
      const checks = check ? await Promise.all(opened.map(checkRoute)) : [];
      return {
        routes: reports.map((report, index) => ({
          ...report,
          ...(checks[index] && { check: checks[index] }),
        })),
        uncovered: findGaps(opened).map(describeGap),
      };
    },
  };
}

/** Verbs for the whole installation: status, verification, backup, image store, sign-in link. */
function systemVerbs(config: Config, deps: { database: Database; clock: Clock }) {
  const { database } = deps;
  return {
    async status() {
      return {
        version,
        database: database.kind,
        storage: config.storage.kind,
        ...(await readStatus(database, config.routes)),
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
