import type { AttemptFailure, JobErrorCode } from '../job.ts';
import { describeUnserved } from './coverage.ts';
import type { OpenCircuit } from './decide-circuit.ts';
import { orderRoutes } from './order-by-cost.ts';
import { planRequest, type Shape } from './plan-request.ts';
import { endingOf, isOverdue, outOfTime, overdue, processStopped, routesLeft } from './retry-rules.ts';
import type { Route } from './route.ts';
import type { RouteCost } from './route-costs.ts';

export interface WaitingJob {
  accountId: string;
  shape: Shape;
  failures: readonly AttemptFailure[];
  /** The route of the last attempt. `remoteId` is the upstream's id of that attempt's request. */
  route: string | null;
  remoteId: string | null;
  startedAt: number | null;
  deadlineAt: number | null;
}

export type RoutesDecision =
  /** The routes to try, in order, without routes with an open circuit. */
  | { kind: 'run'; routes: string[] }
  | { kind: 'wait' }
  | { kind: 'fail'; errorCode: JobErrorCode; error: string };

interface Situation {
  circuits: ReadonlyMap<string, OpenCircuit>;
  costs: ReadonlyMap<string, RouteCost>;
  nowMs: number;
  jobTimeoutMs: number;
}

export function servingRoutes(routes: readonly Route[], shape: Shape): string[] {
  return routes
    .filter((route) => route.model === shape.model.id && planRequest(route, shape))
    .map(({ id }) => id);
}

/** Decides where a waiting job may run now, or why it never can. Pure. */
export function decideRoutes(
  job: WaitingJob,
  routes: readonly Route[],
  { circuits, costs, nowMs, jobTimeoutMs }: Situation,
): RoutesDecision {
  if (isOverdue(job, nowMs)) return { kind: 'fail', ...overdue };
  const { accountId, shape } = job;
  const own = routes.filter(({ model }) => model === shape.model.id);
  const able = servingRoutes(orderRoutes(own, { accountId, resolution: shape.resolution }, costs), shape);
  if (able.length === 0)
    return { kind: 'fail', errorCode: 'provider_rejected', error: describeUnserved(job.shape) };
  const left = routesLeft(able, job.failures);
  const last = job.failures.at(-1);
  const deadline = (job.startedAt ?? nowMs) + jobTimeoutMs;
  if (left.length === 0 && last) return { kind: 'fail', ...endingOf(last) };

  if (deadline <= nowMs)
    return { kind: 'fail', errorCode: 'timed_out', error: `${last?.message ?? processStopped} ${outOfTime}` };

  const openCircuitOf = (route: string) => {
    const circuit = circuits.get(route);
    return circuit && circuit.until > nowMs ? circuit : undefined;
  };
  const submitted = left.filter((route) => job.remoteId !== null && route === job.route);
  // A submitted request is paid for, so the job waits for that request's route, unless the upstream rejects us.
  const wanted = submitted.some((route) => openCircuitOf(route)?.state !== 'rejected') ? submitted : left;
  const closed = wanted.filter((route) => !openCircuitOf(route));
  if (closed.length > 0) return { kind: 'run', routes: closed };

  const open = wanted.flatMap((route) => openCircuitOf(route) ?? []);
  if (open.every(({ state }) => state === 'rejected'))
    return { kind: 'fail', errorCode: 'provider_rejected', error: allRejected };
  const soonest = Math.min(...open.map(({ until }) => until));
  if (job.startedAt !== null && soonest >= deadline)
    return { kind: 'fail', errorCode: 'timed_out', error: `${last?.message ?? tooBusy} ${outOfTime}` };
  return { kind: 'wait' };
}

const allRejected =
  'The image model cannot be used until the operator fixes its credentials, credit or name. Try again later.';
const tooBusy = 'The image model is not available at the moment.';
