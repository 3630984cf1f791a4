import { isLeased, isOver } from '../../base/db/job-predicates.ts';
import type { Queries } from '../../base/db/schema.ts';
import { firstIdAt } from '../../base/std/ids.ts';
import type { AttemptFailure } from '../job.ts';
import { parseFailures } from '../job-store.ts';

export interface RouteStats {
  done: number;
  /** The number of failed jobs, without cancelled ones. */
  failed: number;
  /** The number of attempts that failed upstream, even if a later attempt or another route completed the job. */
  failures: number;
  /** Times of `done` jobs, from the first attempt to the end. */
  medianMs: number | null;
  p95Ms: number | null;
  /** The total cost of the `done` jobs whose cost is known; `costed` counts these jobs. */
  costMicros: bigint;
  costed: number;
  lastError: string | null;
}

// Reading at most this many jobs keeps the query under a second. More would hardly change the result.
const maxJobs = 50_000;

/** Counts jobs created since `sinceMs`, by the route of their last attempt. Reads only the newest 50,000 jobs. */
export async function readRouteStats(queries: Queries, sinceMs: number): Promise<Map<string, RouteStats>> {
  const rows = await queries
    .selectFrom('jobs')
    .select([
      'route',
      'status',
      'started_at',
      'finished_at',
      'error',
      'error_code',
      'failures',
      'cost_micros',
    ])
    .where('id', '>=', firstIdAt(sinceMs))
    .where(isOver)
    .where('route', 'is not', null)
    .orderBy('id', 'desc')
    .limit(maxJobs)
    .execute();
  const failures = countFailures(rows);
  const stats = new Map<string, RouteStats>();
  const byRoute = Map.groupBy(rows, (row) => row.route ?? '');
  for (const route of new Set([...byRoute.keys(), ...failures.keys()])) {
    const jobs = (byRoute.get(route) ?? []).filter(({ error_code: code }) => code !== 'cancelled');
    const done = jobs.filter(({ status }) => status === 'done');
    const times = done.map((job) => (job.finished_at ?? 0) - (job.started_at ?? 0)).sort((a, b) => a - b);
    const costs = done.flatMap(({ cost_micros: cost }) => (cost === null ? [] : [cost]));
    stats.set(route, {
      done: done.length,
      failed: jobs.length - done.length,
      failures: failures.get(route) ?? 0,
      medianMs: times[Math.floor(times.length / 2)] ?? null,
      p95Ms: times[Math.floor(times.length * 0.95)] ?? null,
      costMicros: costs.reduce((sum, cost) => sum + cost, 0n),
      costed: costs.length,
      lastError: jobs.find(({ status }) => status === 'failed')?.error ?? null,
    });
  }
  return stats;
}

interface EndedRow {
  route: string | null;
  status: string;
  error_code: string | null;
  failures: string;
}

/** Counts failures by the route of each attempt. The last failure of a failed job is stored only in the job's error. */
function countFailures(rows: readonly EndedRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (route: string | null) => route !== null && counts.set(route, (counts.get(route) ?? 0) + 1);
  for (const { route, status, error_code: code, failures } of rows) {
    for (const failure of parseFailures(failures)) if (isOfUpstream(failure)) count(failure.route);
    if (status === 'failed' && !notOfUpstream.has(code)) count(route);
  }
  return counts;
}

/** Whether a failure says something about the upstream, unlike a stopped worker or a failed store. */
function isOfUpstream({ kind }: AttemptFailure): boolean {
  return kind !== 'lost' && kind !== 'store';
}
const notOfUpstream: ReadonlySet<string | null> = new Set(['cancelled', 'interrupted', 'internal']);

export async function countRunning(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', fn.countAll<number>().as('count')])
    .where(isLeased)
    .groupBy('route')
    .execute();
  return new Map(rows.map(({ route, count }) => [route ?? '', count]));
}
