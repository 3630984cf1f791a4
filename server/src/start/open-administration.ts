import type { BodyBudget } from '../base/http/bodies/body-budget.ts';
import { openRouteCheck } from '../jobs/routes/open-route-check.ts';
import { openAdmin } from '../web/admin/open-admin.ts';
import type { RefuseKey } from '../web/api/refuse-key.ts';
import type { SessionDeps } from '../web/api/sessions.ts';
import type { Base } from './open-base.ts';
import { createOpenSettings } from './open-settings.ts';

export async function openAdministration(
  server: Parameters<typeof openAdmin>[0],
  base: Base & {
    refuseKey: RefuseKey;
    bodies: BodyBudget;
    sessions: SessionDeps;
    mayRemove(): Promise<boolean>;
  },
): Promise<void> {
  const { config, database, readConnections, guard, sealer, credentialSealer } = base;
  const { routeEnvironment: environment, providerKeys: keys } = config;
  await openAdmin(server, {
    ...base,
    storage: config.storage.kind,
    startedAt: base.clock.nowMs(),
    limitDefaults: config.limitDefaults,
    retention: config.retention,
    sharing: config.sharing,
    currency: config.currency,
    costRisePercent: config.costRisePercent,
    ofFile: config.connections,
    fileModels: config.models,
    openSealer: async () => sealer,
    openCredentialSealer: async () => credentialSealer,
    openRouteCheck: () => openRouteCheck({ environment, keys, readConnections, guard }),
    openSettings: createOpenSettings(database, config, readConnections),
    implied: environment.implied,
    followChanges: () => base.changes.refresh(),
  });
}
