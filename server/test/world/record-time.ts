import { followClock, type OwnLooks } from '../../src/base/db/follow-clock.ts';
import type { World } from './world.ts';

/** Records the database's time, as a process does that has run for a while. */
export async function recordTime({ app, clock }: World): Promise<void> {
  const looks: OwnLooks = { monotonicMs: () => clock.monotonicMs() };
  for (const _ of [1, 2]) await followClock(app.database, looks);
}
