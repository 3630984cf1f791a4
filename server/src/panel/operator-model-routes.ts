import Type from 'typebox';
import { isModelId, modelIds, models } from '../catalog/models.ts';
import { listPauses, type Pause, type PauseScope, pause, resume } from '../catalog/pause-store.ts';
import { priceOf } from '../catalog/prices.ts';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { formatMicros } from '../ledger/money.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import { readQueue } from './activity-store.ts';
import type {
  OperatorModels,
  Pause as PresentedPause,
  Route as PresentedRoute,
  RouteHealth,
} from './contract.ts';
import type { PanelDeps } from './panel-deps.ts';
import { countOnRoutes, listPauseTimes, type RouteCount } from './route-store.ts';

const hourMs = 60 * 60 * 1000;
// A provider that does not say whether it is well by then is not.
const checkTimeoutMs = 15_000;
const object = (fields: Parameters<typeof Type.Object>[0]) =>
  Type.Object(fields, { additionalProperties: false });

/** The models, their pauses and their routes, for operators. */
export function operatorModelRoutes(deps: PanelDeps): PanelRoute[] {
  return [
    panelCall('GET /panel/operator/models', { handle: () => readModels(deps) }),

    panelCall('POST /panel/operator/pauses/:scope', {
      body: object({
        reason: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
        until: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      }),
      async handle({ params, body, audited }) {
        const scope = readScope(params.scope);
        const until = readUntil(body.until, deps.clock.nowMs());
        const reason = body.reason?.trim() || null;
        const detail = { reason, until: toIsoOrNull(until) };
        const pausing = audited(() => ({ action: 'pause.started', accountId: null, subject: scope, detail }));
        await pausing.transaction((tx) => pause(tx, { scope, reason, until }));
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/pauses/:scope/resume', {
      async handle({ params, audited }) {
        const scope = readScope(params.scope);
        const entry = { action: 'pause.ended', accountId: null, subject: scope, detail: {} };
        const resuming = audited<{ wasPaused: boolean }>(({ wasPaused }) => (wasPaused ? entry : undefined));
        await resuming.transaction((tx) => resume(tx, scope));
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/routes/:route_id/check', {
      handle: ({ params }) => checkRoute(deps, params.route_id),
    }),
  ];
}

async function readModels(deps: PanelDeps): Promise<OperatorModels> {
  const { database, prices, clock } = deps;
  const pauses = await listPauses(database.read);
  const times = await listPauseTimes(database.read);
  const counts = await countOnRoutes(database.read, clock.nowMs() - hourMs);
  const present = (scope: PauseScope) =>
    presentPause(
      pauses.find((pause) => pause.scope === scope),
      times.get(scope),
    );
  return {
    project_pause: present('project'),
    models: await Promise.all(
      modelIds.map(async (model) => {
        const { queued, processing, oldestQueuedAt } = await readQueue(database.read, { model });
        return {
          model,
          name: models[model].name,
          pause: present(model),
          prices: models[model].resolutions.map((resolution) => ({
            resolution,
            price: formatMicros(priceOf(prices, model, resolution)),
          })),
          routes: listRoutes(deps, model, counts),
          queue: { queued, processing, oldest_queued_at: toIsoOrNull(oldestQueuedAt) },
        };
      }),
    ),
  };
}

/** Those that run here, else those that the configuration names for the workers. */
function listRoutes(
  { routes, installation }: PanelDeps,
  model: string,
  counts: Map<string, RouteCount>,
): PresentedRoute[] {
  const known =
    routes.length > 0
      ? routes.map(({ provider, ...route }) => ({
          ...route,
          provider: provider.id,
          upstream: provider.model,
        }))
      : installation.routes.map((route) => ({
          ...route,
          id: `${route.model}/${route.provider}`,
          upstream: null,
        }));
  return known
    .filter((route) => route.model === model)
    .map(({ id, provider, upstream, slots, timeoutMs }) => {
      const { inUse, done, failed } = counts.get(id) ?? { inUse: 0, done: 0, failed: 0 };
      return {
        route_id: id,
        provider,
        upstream_model: upstream,
        slots,
        in_use: inUse,
        timeout_seconds: timeoutMs / 1000,
        recent: { done, failed },
      };
    });
}

async function checkRoute({ routes }: PanelDeps, routeId: string): Promise<RouteHealth> {
  const route = routes.find(({ id }) => id === routeId);
  if (!route) throw new AppError('not_found', 'There is no such route in this process.');
  const begin = performance.now();
  const health = await route.provider.check(AbortSignal.timeout(checkTimeoutMs)).catch((error: unknown) => ({
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
  }));
  return {
    route_id: routeId,
    ok: health.ok,
    detail: health.detail ?? null,
    ms: Math.round(performance.now() - begin),
  };
}

function presentPause(pause: Pause | undefined, since: number | undefined): PresentedPause | null {
  if (!pause || since === undefined) return null;
  return { reason: pause.reason, until: toIsoOrNull(pause.until), since: toIso(since) };
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
