import type { ClockWatch } from '../std/clock-watch.ts';
import { readNow } from './rows.ts';
import type { Queries } from './schema.ts';

/**
 * Reads the database's clock and shows the value to the watch. The caller decides by the same time that the
 * watch has checked, so a clock that was set forward is noticed.
 */
export async function readWatchedNow(queries: Queries, watch: ClockWatch): Promise<number> {
  const answered = watch.ask();
  const now = await readNow(queries);
  answered(now);
  return now;
}
