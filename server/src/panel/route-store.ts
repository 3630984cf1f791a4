import type { Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';

export interface EndedCount {
  done: number;
  failed: number;
}

/** The jobs created since then that ended, by the route of their last attempt. */
export async function countEnded(queries: Queries, sinceMs: number): Promise<Map<string, EndedCount>> {
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['route', 'status', fn.countAll<number>().as('count')])
    .where('id', '>=', firstIdAt(sinceMs))
    .where('status', 'in', ['done', 'failed'])
    .groupBy(['route', 'status'])
    .execute();
  const counts = new Map<string, EndedCount>();
  for (const { route, status, count } of rows) {
    const known = counts.get(route ?? '') ?? { done: 0, failed: 0 };
    counts.set(route ?? '', { ...known, [status]: count });
  }
  return counts;
}
