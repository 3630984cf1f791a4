import type { Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';

export interface RouteCount {
  /** Jobs that run on it now. */
  inUse: number;
  /** Jobs created since then that ended on it. */
  done: number;
  failed: number;
}

/** What every route did with the jobs that were created since then, and does now. */
export async function countOnRoutes(queries: Queries, sinceMs: number): Promise<Map<string, RouteCount>> {
  const counts = new Map<string, RouteCount>();
  const countOf = (route: string | null) => {
    const count = counts.get(route ?? '') ?? { inUse: 0, done: 0, failed: 0 };
    counts.set(route ?? '', count);
    return count;
  };
  const running = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', fn.countAll<number>().as('count')])
    .where('worker', 'is not', null)
    .groupBy('route')
    .execute();
  for (const { route, count } of running) countOf(route).inUse = count;
  const ended = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', 'status', fn.countAll<number>().as('count')])
    .where('id', '>=', firstIdAt(sinceMs))
    .where('status', 'in', ['done', 'failed'])
    .groupBy(['route', 'status'])
    .execute();
  for (const { route, status, count } of ended) countOf(route)[status === 'done' ? 'done' : 'failed'] = count;
  return counts;
}

export async function listPauseTimes(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries.selectFrom('pauses').select(['scope', 'created_at']).execute();
  return new Map(rows.map(({ scope, created_at }) => [scope, created_at]));
}
