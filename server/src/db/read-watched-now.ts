import type { ClockWatch } from '../std/clock-watch.ts';
import { readNow } from './rows.ts';
import type { Queries } from './schema.ts';

/**
 * The database's own clock, shown to whoever watches it: what is judged by this time is judged by the very one that the
 * watch has seen, so a clock that is set forward in between cannot go unnoticed.
 */
export async function readWatchedNow(queries: Queries, watch: ClockWatch): Promise<number> {
  const answered = watch.ask();
  const now = await readNow(queries);
  answered(now);
  return now;
}
