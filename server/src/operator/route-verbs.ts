import type { Actor } from '../accounts/audit-store.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { readMargins } from '../jobs/read-margins.ts';
import { checkRoute } from '../routes/check-route.ts';
import { describeGap, findGaps } from '../routes/coverage.ts';
import { type Credentials, openRoutes, type RouteSettings } from '../routes/open-routes.ts';
import { configuredRoute, reportRoutes } from '../routes/report-routes.ts';
import { tryRoute } from '../routes/try-route.ts';
import { version } from '../version.ts';
import { readStatus } from './read-status.ts';

export interface RouteVerbDeps {
  database: Database;
  guard: Guard;
  /** Where images are kept. */
  storage: 'disk' | 's3';
  /** The routes of all models as a server with this configuration would open them. */
  openSettings(): Promise<Credentials & { catalogue: Catalogue; settings: RouteSettings[] }>;
}

/** How it goes: the queue, the routes and what was earned. */
export function routeVerbs({ database, guard, storage, openSettings }: RouteVerbDeps, by: Actor) {
  return {
    async status() {
      return {
        version,
        database: database.kind,
        storage,
        ...(await readStatus(database, await openSettings())),
      };
    },

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

    /** A route that rests takes the next job now. */
    async tryRoute(route: string) {
      const { settings } = await openSettings();
      if (!settings.some(({ id }) => id === route))
        throw new AppError('not_found', `There is no route "${route}".`);
      return { route, tried: await tryRoute({ database }, route, by) };
    },

    /** What was earned with each model on each of the last seven days. */
    margins: () => readMargins(database.reports),
  };
}
