import { isLeased, isOver } from '../db/job-predicates.ts';
import type { Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';

export interface RouteStats {
  done: number;
  failed: number;
  /** From the first attempt to the end, in the middle of the jobs that are done. */
  medianMs: number | null;
  /** What the newest job said that failed. */
  lastError: string | null;
}

// Far more than says anything new; keeps a look at a busy installation below a second.
const maxJobs = 50_000;

/** How the jobs fared whose last attempt was on each route, of those created since then; the newest 50,000 of them. */
export async function readRouteStats(queries: Queries, sinceMs: number): Promise<Map<string, RouteStats>> {
  const rows = await queries
    .selectFrom('jobs')
    .select(['route', 'status', 'started_at', 'finished_at', 'error'])
    .where('id', '>=', firstIdAt(sinceMs))
    .where(isOver)
    .where('route', 'is not', null)
    .orderBy('id', 'desc')
    .limit(maxJobs)
    .execute();
  const stats = new Map<string, RouteStats>();
  for (const [route, jobs] of Map.groupBy(rows, (row) => row.route ?? '')) {
    const done = jobs.filter(({ status }) => status === 'done');
    const times = done.map((job) => (job.finished_at ?? 0) - (job.started_at ?? 0)).sort((a, b) => a - b);
    stats.set(route, {
      done: done.length,
      failed: jobs.length - done.length,
      medianMs: times[Math.floor(times.length / 2)] ?? null,
      lastError: jobs.find(({ status }) => status === 'failed')?.error ?? null,
    });
  }
  return stats;
}

/** How many jobs run on each route. */
export async function countRunning(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', fn.countAll<number>().as('count')])
    .where(isLeased)
    .groupBy('route')
    .execute();
  return new Map(rows.map(({ route, count }) => [route ?? '', count]));
}
