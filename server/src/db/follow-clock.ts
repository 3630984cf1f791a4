import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isUnderWay } from './job-predicates.ts';
import { nowMs, readNow } from './rows.ts';
import type { Queries, Tx } from './schema.ts';
import { claimSetting, readSetting } from './settings-store.ts';

const setting = 'clock_seen_at';
// How wrong the distance of a step may be. A write so often costs nothing beside those of a single job.
const noteEveryMs = 10_000;
// What keeps clocks right moves them back by less.
const leastStepMs = 1_000;
// No lease lasts longer: one that ends later was given before the clock went back.
const longestLeaseMs = 60_000;

/**
 * Notices that the database's clock went back, and takes along the times at which something is to happen: otherwise what
 * was due would wait until the clock is again where it was. Says by how much it went back.
 */
export async function followClock(database: Database): Promise<number> {
  const { seen, now } = await look(database.read);
  const backMs = seen - now;
  if (backMs <= leastStepMs && -backMs < noteEveryMs) return 0;
  return database.transaction(async (tx) => {
    // Of several processes that notice it one does it.
    if (!(await noteTime(tx, { seen, now })) || backMs <= leastStepMs) return 0;
    await bringForward(tx, backMs);
    return backMs;
  });
}

async function look(queries: Queries): Promise<{ seen: number; now: number }> {
  const seen = await readSetting(queries, setting);
  return { seen: Number(seen ?? 0), now: await readNow(queries) };
}

/** False when somebody else has noted a time meanwhile. */
async function noteTime(tx: Tx, { seen, now }: { seen: number; now: number }): Promise<boolean> {
  if (seen === 0) return claimSetting(tx, setting, String(now));
  const result = await tx
    .updateTable('settings')
    .set({ value: String(now) })
    .where('name', '=', setting)
    .where('value', '=', String(seen))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Nothing then happens later than it would have; what was written since the clock went back may happen sooner. */
async function bringForward(tx: Tx, ms: number): Promise<void> {
  const by = sql.lit(Math.round(ms));
  const waits = sql`worker is null and claimable_at > ${nowMs}`;
  const leased = sql`worker is not null and claimable_at > ${nowMs} + ${sql.lit(longestLeaseMs)}`;
  const updates = [
    sql`update jobs set claimable_at = claimable_at - ${by} where ${isUnderWay} and ${waits}`,
    sql`update jobs set claimable_at = claimable_at - ${by} where ${leased}`,
    sql`update deliveries set claimable_at = claimable_at - ${by} where status = 'pending' and ${waits}`,
    sql`update deliveries set claimable_at = claimable_at - ${by} where ${leased}`,
    sql`update idempotency_keys set held_until = held_until - ${by} where held_until > ${nowMs}`,
    sql`update route_health set until = until - ${by} where until > ${nowMs}`,
    sql`update route_paces set busy_until = busy_until - ${by} where busy_until > ${nowMs}`,
    sql`update sign_in_limits set busy_until = busy_until - ${by} where busy_until > ${nowMs}`,
  ];
  for (const update of updates) await update.execute(tx);
}
