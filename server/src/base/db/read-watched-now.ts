import type { ClockWatch } from '../std/clock-watch.ts';
import { readNow } from './rows.ts';
import type { Queries } from './schema.ts';

/** Passes the time to the watch before the caller uses it, so that the watch notices a jump forward first. */
export async function readWatchedNow(queries: Queries, watch: ClockWatch): Promise<number> {
  const answered = watch.ask();
  const now = await readNow(queries);
  answered(now);
  return now;
}
