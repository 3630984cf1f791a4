import { sql } from 'kysely';
import type { Database } from '../src/db/database.ts';
import { nowMs } from '../src/db/rows.ts';
import { startLoop } from '../src/std/loop.ts';
import { routeNames } from './stub-routes.ts';

/** A job that may be claimed, or whose lease ended, waits for no more than this, or it is stuck. */
export const stuckAfterMs = 60_000;
const lookEveryMs = 1_000;

export interface Watched {
  /** The longest that a job was seen to wait past the time at which somebody could have taken it. */
  longestWaitMs: number;
  /** Jobs that were seen to wait for longer than `stuckAfterMs`. */
  stuck: Set<string>;
  looks: number;
  /** Why the last look failed, if one did. */
  failure?: unknown;
}

// While all routes of its model rest after failures nobody may take a job: its wait begins when the first rest is over.
const restOfRoutes = sql`(select case when count(*) = ${sql.lit(routeNames.length)} then min(until) else 0 end
  from route_health where ${sql.join(
    routeNames.map((name) => sql`route = jobs.model || ${sql.lit(`/${name}`)}`),
    sql` or `,
  )})`;

/** Looks at the queue all the time, past every proxy. While the database is away there is nothing to see. */
export function watchQueue(database: Database): Watched & AsyncDisposable {
  const watched: Watched = { longestWaitMs: 0, stuck: new Set(), looks: 0 };
  const loop = startLoop({
    everyMs: lookEveryMs,
    onError: (error) => {
      watched.failure = error;
    },
    async runOnce() {
      const { rows } = await sql<{ id: string; waited: number }>`
        select id, ${nowMs} - case when rest_ends > claimable_at then rest_ends else claimable_at end as waited
        from (select id, claimable_at, ${restOfRoutes} as rest_ends from jobs where status in ('queued', 'processing')) as open
        where claimable_at < ${nowMs} order by 2 desc limit 50`.execute(database.read);
      watched.looks += 1;
      for (const { id, waited } of rows) {
        watched.longestWaitMs = Math.max(watched.longestWaitMs, waited);
        if (waited > stuckAfterMs) watched.stuck.add(id);
      }
      return false;
    },
  });
  return Object.assign(watched, { [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose]() });
}
