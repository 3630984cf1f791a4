import { isLeased, isOver } from '../db/job-predicates.ts';
import type { Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';

export interface RouteStats {
  done: number;
  failed: number;
  /** Median time of `done` jobs, from the first attempt to the end. */
  medianMs: number | null;
  /** The error of the newest failed job. */
  lastError: string | null;
}

// More would add nothing; this keeps the query below a second on a busy installation.
const maxJobs = 50_000;

/**
 * Counts outcomes of jobs created since then by the route of their last attempt; of the newest 50,000 jobs
 * only.
 */
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

/** Counts running jobs by route. */
export async function countRunning(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', fn.countAll<number>().as('count')])
    .where(isLeased)
    .groupBy('route')
    .execute();
  return new Map(rows.map(({ route, count }) => [route ?? '', count]));
}
