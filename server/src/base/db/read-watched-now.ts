import type { ClockWatch } from '../std/clock-watch.ts';
import { readNow } from './rows.ts';
import type { Queries } from './schema.ts';

/**
 * Reads the database's clock and passes the time to the watch, which notices a jump forward before the caller decides
 * by this time.
 */
export async function readWatchedNow(queries: Queries, watch: ClockWatch): Promise<number> {
  const answered = watch.ask();
  const now = await readNow(queries);
  answered(now);
  return now;
}
