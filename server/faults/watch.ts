import { sql } from 'kysely';
import type { Database } from '../src/base/db/database.ts';
import { nowMs } from '../src/base/db/rows.ts';
import { startLoop } from '../src/base/std/loop.ts';
import { routeNames } from './stub-routes.ts';

/** A claimable job, or one whose lease has ended, is stuck if it waits longer than this while a worker is ready. */
export const stuckAfterMs = 60_000;
const lookEveryMs = 1_000;

export interface Watched {
  /** The longest observed wait of a job after it became claimable. */
  longestWaitMs: number;
  stuck: Set<string>;
  looks: number;
  failure?: unknown;
}

// A job waits only while a route of its model is usable. If all routes are paused, its wait begins when a pause ends.
const restOfRoutes = sql`(select case when count(*) = ${sql.lit(routeNames.length)} then min(until) else 0 end
  from route_health where ${sql.join(
    routeNames.map((name) => sql`route = jobs.model || ${sql.lit(`/${name}`)}`),
    sql` or `,
  )})`;

// Leaves out jobs that may wait longer: batch jobs, which yield to others, and jobs that lost two workers, which wait
// for an idle worker. Only the final check covers these.
const mayNotStandBack = sql`batch_id is null and cast(failures as text) not like '%"lost"%"lost"%'`;

/** Watches the queue all the time, without a proxy. Sees nothing while the database is down. */
export function watchQueue(database: Database, isWorkerUp: () => boolean): Watched & AsyncDisposable {
  const watched: Watched = { longestWaitMs: 0, stuck: new Set(), looks: 0 };
  const waiting = new Map<string, { since: number; upMs: number }>();
  let lookedAt: number | undefined;
  const loop = startLoop({
    everyMs: lookEveryMs,
    onError: (error) => {
      watched.failure = error;
      lookedAt = undefined;
    },
    async runOnce() {
      const { rows } = await sql<{ id: string; since: number; waited: number }>`
        select id, claimable_at as since, ${nowMs} - case when rest_ends > claimable_at then rest_ends else claimable_at end as waited
        from (select id, claimable_at, ${restOfRoutes} as rest_ends from jobs
          where status in ('queued', 'processing') and ${mayNotStandBack}) as open
        where claimable_at < ${nowMs} order by 3 desc limit 50`.execute(database.read);
      const upMs = lookedAt === undefined || !isWorkerUp() ? 0 : performance.now() - lookedAt;
      lookedAt = performance.now();
      watched.looks += 1;
      const before = new Map(waiting);
      waiting.clear();
      for (const { id, since, waited } of rows) {
        watched.longestWaitMs = Math.max(watched.longestWaitMs, waited);
        const known = before.get(id);
        const sum = known?.since === since && waited > 0 ? known.upMs + upMs : 0;
        waiting.set(id, { since, upMs: sum });
        if (sum > stuckAfterMs) watched.stuck.add(id);
      }
      return false;
    },
  });
  return Object.assign(watched, { [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose]() });
}
