import Type from 'typebox';
import { isModelId, modelIds, models } from '../catalog/models.ts';
import { listPauses, type Pause, type PauseScope } from '../catalog/pause-store.ts';
import { priceOf } from '../catalog/prices.ts';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { closed } from '../http/schemas.ts';
import { checkRoute } from '../jobs/check-route.ts';
import { readQueue } from '../jobs/job-store.ts';
import { countRunning } from '../jobs/metrics-store.ts';
import { upstreamOf } from '../jobs/open-route.ts';
import { pauseJobs, resumeJobs } from '../jobs/pause-jobs.ts';
import type { Route } from '../jobs/route.ts';
import { formatMicros } from '../ledger/money.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import type {
  OperatorModels,
  Pause as PresentedPause,
  Route as PresentedRoute,
  RouteHealth,
} from './contract.ts';
import type { PanelDeps } from './panel-deps.ts';
import { presentQueue } from './present-queue.ts';
import { countEnded, type EndedCount } from './route-store.ts';

const hourMs = 60 * 60 * 1000;

/** The models, their pauses and their routes, for operators. */
export function operatorModelRoutes(deps: PanelDeps): PanelRoute[] {
  return [
    panelCall('GET /panel/operator/models', { handle: () => readModels(deps) }),

    panelCall('POST /panel/operator/pauses/:scope', {
      body: closed({
        reason: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
        until: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      }),
      async handle({ params, body, viewer }) {
        const scope = readScope(params.scope);
        const until = readUntil(body.until, deps.clock.nowMs());
        const reason = body.reason?.trim() || null;
        await pauseJobs(deps, { scope, reason, until }, viewer);
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/pauses/:scope/resume', {
      async handle({ params, viewer }) {
        await resumeJobs(deps, { scope: readScope(params.scope) }, viewer);
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/routes/:route_id/check', {
      handle: ({ params }) => readHealth(deps, params.route_id),
    }),
  ];
}

async function readModels(deps: PanelDeps): Promise<OperatorModels> {
  const { database, prices, clock } = deps;
  const pauses = await listPauses(database.read);
  const running = await countRunning(database.read);
  const ended = await countEnded(database.read, clock.nowMs() - hourMs);
  const routes = listRoutes(deps);
  const pauseOf = (scope: PauseScope) => presentPause(pauses.find((pause) => pause.scope === scope));
  return {
    project_pause: pauseOf('project'),
    models: await Promise.all(
      modelIds.map(async (model) => ({
        model,
        name: models[model].name,
        pause: pauseOf(model),
        prices: models[model].resolutions.map((resolution) => ({
          resolution,
          price: formatMicros(priceOf(prices, model, resolution)),
        })),
        routes: routes
          .filter((route) => route.model === model)
          .map((route) => presentRoute(route, running.get(route.id), ended.get(route.id))),
        queue: presentQueue(await readQueue(database.read, { model })),
      })),
    ),
  };
}

interface ListedRoute extends Omit<Route, 'provider'> {
  provider: string;
  upstream: string | null;
}

/** Those that run here, else those that the configuration names for the workers. */
function listRoutes({ routes, installation }: PanelDeps): ListedRoute[] {
  if (routes.length > 0)
    return routes.map((route) => ({ ...route, provider: route.provider.id, upstream: route.provider.model }));
  return installation.routes.map((route) => ({ ...route, upstream: upstreamOf(route) }));
}

function presentRoute(
  { id, provider, upstream, slots, timeoutMs }: ListedRoute,
  running = 0,
  { done, failed }: EndedCount = { done: 0, failed: 0 },
): PresentedRoute {
  return {
    route_id: id,
    provider,
    upstream_model: upstream,
    slots,
    in_use: running,
    timeout_seconds: timeoutMs / 1000,
    recent: { done, failed },
  };
}

async function readHealth({ routes }: PanelDeps, routeId: string): Promise<RouteHealth> {
  const route = routes.find(({ id }) => id === routeId);
  if (!route) throw new AppError('not_found', 'There is no such route in this process.');
  const begin = performance.now();
  const { ok, detail = null } = await checkRoute(route);
  return { route_id: routeId, ok, detail, ms: Math.round(performance.now() - begin) };
}

function presentPause(pause: Pause | undefined): PresentedPause | null {
  if (!pause) return null;
  return { reason: pause.reason, until: toIsoOrNull(pause.until), since: toIso(pause.since) };
}

function readScope(text: string): PauseScope {
  if (text === 'project' || isModelId(text)) return text;
  throw new AppError('not_found', `Only the project and the models ${modelIds.join(', ')} can be paused.`);
}

function readUntil(text: string | null, now: number): number | null {
  if (text === null) return null;
  const until = Date.parse(text);
  if (Number.isFinite(until) && until > now) return until;
  const detail = 'must be a time in the future, such as 2027-01-01T00:00:00Z.';
  throw new AppError('invalid_request', `until ${detail}`, { errors: [{ pointer: '/until', detail }] });
}
