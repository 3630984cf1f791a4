import Type from 'typebox';
import { pauseJobs, resumeJobs } from '../../admission/pause-jobs.ts';
import { listPauses, type Pause, type PauseScope } from '../../admission/pause-store.ts';
import type { Catalogue } from '../../catalog/catalogue.ts';
import { AppError } from '../../errors.ts';
import { closed } from '../../http/schemas.ts';
import { readQueue } from '../../jobs/job-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { checkRoute } from '../../routes/check-route.ts';
import { reportedRoutes, reportRoutes } from '../../routes/report-routes.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import { presentQueue } from '../jobs/present-queue.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { OperatorModels, PauseDetail, RouteCheck } from './contract.ts';

/** The models, their pauses and their routes, for operators. */
export function operatorModelCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/operator/models', { handle: () => readModels(deps) }),

    panelCall('POST /panel/operator/pauses/:scope', {
      body: closed({
        reason: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
        until: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      }),
      async handle({ params, body, viewer }) {
        const scope = readScope(deps.catalogue, params.scope);
        const until = readUntil(body.until, deps.clock.nowMs());
        const reason = body.reason?.trim() || null;
        await pauseJobs(deps, { scope, reason, until }, viewer);
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/pauses/:scope/resume', {
      async handle({ params, viewer }) {
        await resumeJobs(deps, { scope: readScope(deps.catalogue, params.scope) }, viewer);
        return readModels(deps);
      },
    }),

    panelCall('POST /panel/operator/routes/:route_id/check', {
      handle: ({ params }) => check(deps, params.route_id),
    }),
  ];
}

async function readModels(deps: PanelDeps): Promise<OperatorModels> {
  const { database, catalogue } = deps;
  const pauses = await listPauses(database.read);
  const routes = await reportRoutes(database, reportedRoutes(deps.routes));
  const pauseOf = (scope: PauseScope) => presentPause(pauses.find((pause) => pause.scope === scope));
  return {
    project_pause: pauseOf('project'),
    models: await Promise.all(
      catalogue.list().map(async ({ id, name, resolutions }) => ({
        model: id,
        name,
        pause: pauseOf(id),
        prices: [...resolutions].map(([resolution, { priceMicros }]) => ({
          resolution,
          price: formatMicros(priceMicros),
        })),
        routes: routes.filter((route) => route.model === id),
        queue: presentQueue(await readQueue(database.read, { model: id })),
      })),
    ),
  };
}

async function check({ routes }: PanelDeps, routeId: string): Promise<RouteCheck> {
  const route = routes.list().find(({ id }) => id === routeId);
  if (!route) throw new AppError('not_found', 'There is no such route in this process.');
  const begin = performance.now();
  const { ok, detail = null } = await checkRoute(route);
  return { route_id: routeId, ok, detail, ms: Math.round(performance.now() - begin) };
}

function presentPause(pause: Pause | undefined): PauseDetail | null {
  if (!pause) return null;
  return { reason: pause.reason, until: toIsoOrNull(pause.until), since: toIso(pause.since) };
}

function readScope(catalogue: Catalogue, text: string): PauseScope {
  if (text === 'project' || catalogue.knows(text)) return text;
  const models = catalogue.list().map(({ id }) => id);
  throw new AppError('not_found', `Only the project and the models ${models.join(', ')} can be paused.`);
}

function readUntil(text: string | null, now: number): number | null {
  if (text === null) return null;
  const until = Date.parse(text);
  if (Number.isFinite(until) && until > now) return until;
  const detail = 'must be a time in the future, such as 2027-01-01T00:00:00Z.';
  throw new AppError('invalid_request', `until ${detail}`, { errors: [{ pointer: '/until', detail }] });
}
