import type { Actor } from '../audit/audit-store.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { AppError, SettingError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { readMargins } from '../jobs/read-margins.ts';
import { checkRoute } from '../routes/check-route.ts';
import { describeGap, findGaps } from '../routes/coverage.ts';
import { type Credentials, openRoute, type RouteSettings } from '../routes/open-routes.ts';
import { configuredRoute, reportRoutes } from '../routes/report-routes.ts';
import type { Route } from '../routes/route.ts';
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
     * Every route with its circuit and its last 24 hours. `check` also calls each provider, which is free; a route
     * that cannot be opened says why in any case.
     */
    async routes({ check = false }: { check?: boolean } = {}) {
      const { catalogue, settings, ...credentials } = await openSettings();
      const reports = await reportRoutes(database, settings.map(configuredRoute));
      await using stack = new AsyncDisposableStack();
      const opened = settings.map((one) => openOrExplain(one, credentials, guard));
      const routes = opened.filter((one) => 'provider' in one);
      for (const { provider } of routes) stack.defer(() => provider[Symbol.asyncDispose]?.());
      const checks = await Promise.all(
        opened.map((one) =>
          'provider' in one ? check && checkRoute(one) : { ok: false, detail: one.problem },
        ),
      );
      return {
        routes: reports.map((report, index) => ({
          ...report,
          ...(checks[index] && { check: checks[index] }),
        })),
        uncovered: findGaps(catalogue.list(), routes).map(describeGap),
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

function openOrExplain(
  settings: RouteSettings,
  credentials: Credentials,
  guard: Guard,
): Route | { problem: string } {
  try {
    return openRoute(settings, credentials, guard);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return { problem: error.message };
  }
}
