import Type, { type Static } from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import type { Guard } from '../../../../base/guard/guard.ts';
import { closed, flag } from '../../../../base/http/schemas.ts';
import { AppError, SettingError } from '../../../../errors.ts';
import { checkRoute } from '../../../../jobs/routes/check-route.ts';
import { describeGap, findGaps } from '../../../../jobs/routes/coverage.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import { type Credentials, openRoute, type RouteSettings } from '../../../../jobs/routes/open-routes.ts';
import { configuredRoute, reportRoutes } from '../../../../jobs/routes/report-routes.ts';
import type { Route } from '../../../../jobs/routes/route.ts';
import { tryRoute } from '../../../../jobs/routes/try-route.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import { installationCall } from '../../installation-call.ts';
import { routeCheckSchema, routeSchema } from './route-json.ts';

export interface RouteCallDeps {
  database: Database;
  guard: Guard;
  routes: Pick<LiveRoutes, 'list'>;
  /** The settings with which a server of this configuration would open all models' routes. */
  openSettings: OpenSettings;
}

export type OpenSettings = () => Promise<Credentials & { catalogue: Catalogue; settings: RouteSettings[] }>;

const tag = 'Models';
const params = Type.Object({ route: Type.String({ description: 'The id, with its slash as `%2F`.' }) });

export function routeCalls(deps: RouteCallDeps) {
  return {
    list: installationCall({
      tag,
      operationId: 'getRoutes',
      summary: 'Read the routes of each model and their state',
      description: 'Reads counts and times of the last 24 hours. A route that cannot be opened says why.',
      query: closed({
        check: Type.Optional(
          flag('Asks each provider whether it works. Creates no image and costs nothing.'),
        ),
      }),
      reply: Type.Object(
        {
          routes: Type.Array(routeSchema),
          uncovered: Type.Array(Type.String(), {
            description: 'The combinations that clients may ask for but no route can make.',
          }),
        },
        { title: 'Routes' },
      ),
      handle: ({ query }) => readRoutes(deps, query.check === 'true'),
    }),

    check: installationCall({
      tag,
      operationId: 'checkRoute',
      summary: 'Check the provider of a route',
      description: 'Creates no image and costs nothing.',
      params,
      reply: routeCheckSchema,
      errors: ['not_found', 'body_too_large'],
      handle: ({ params: { route } }) => checkNamed(deps, route),
    }),

    try: installationCall({
      tag,
      operationId: 'tryRoute',
      summary: 'Let a resting route take the next job',
      params,
      reply: Type.Object(
        { route: Type.String(), tried: Type.Boolean({ description: 'True if the route was resting.' }) },
        { title: 'TriedRoute' },
      ),
      errors: ['not_found', 'body_too_large'],
      async handle({ by, params: { route } }) {
        const { settings } = await deps.openSettings();
        if (!settings.some(({ id }) => id === route)) throw noSuchRoute(route);
        return { route, tried: await tryRoute(deps, route, by) };
      },
    }),
  };
}

async function readRoutes({ database, guard, openSettings }: RouteCallDeps, checks: boolean) {
  const { catalogue, settings, ...credentials } = await openSettings();
  const reports = await reportRoutes(database, settings.map(configuredRoute));
  await using stack = new AsyncDisposableStack();
  const opened = settings.map((one) => openOrExplain(one, credentials, guard));
  const routes = opened.filter((one) => 'provider' in one);
  for (const { provider } of routes) stack.defer(() => provider[Symbol.asyncDispose]?.());
  const found = await Promise.all(
    opened.map((one) => ('provider' in one ? checks && timedCheck(one) : { ok: false, detail: one.problem })),
  );
  return {
    routes: reports.map((report, index) => ({ ...report, ...(found[index] && { check: found[index] }) })),
    uncovered: findGaps(catalogue.list(), routes).map(describeGap),
  };
}

async function checkNamed({ guard, routes, openSettings }: RouteCallDeps, id: string): Promise<RouteCheck> {
  const here = routes.list().find((route) => route.id === id);
  if (here) return timedCheck(here);
  const { settings, ...credentials } = await openSettings();
  const wanted = settings.find((route) => route.id === id);
  if (!wanted) throw noSuchRoute(id);
  const route = openOrExplain(wanted, credentials, guard);
  if (!('provider' in route)) return { ok: false, detail: route.problem };
  await using stack = new AsyncDisposableStack();
  stack.defer(() => route.provider[Symbol.asyncDispose]?.());
  return await timedCheck(route);
}

type RouteCheck = Static<typeof routeCheckSchema>;

async function timedCheck(route: Route): Promise<RouteCheck> {
  const begin = performance.now();
  const { kind: _kind, ...health } = await checkRoute(route);
  return { ...health, ms: Math.round(performance.now() - begin) };
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

function noSuchRoute(route: string): AppError {
  return new AppError('not_found', `There is no route "${route}".`);
}
