import { sql } from 'kysely';
import type { Database } from './database.ts';
import { writeAtOnce } from './decide-and-write.ts';
import { isUnderWay } from './job-predicates.ts';
import { nowMs } from './rows.ts';
import type { Queries, Tx } from './schema.ts';
import { claimSetting, readSetting } from './settings-store.ts';

const setting = 'clock_seen_at';
// The interval at which the time is recorded. The measured step back of a clock is too small by at most this much.
const noteEveryMs = 10_000;
// The smallest step back that counts. Time synchronisation makes smaller ones.
const leastStepMs = 1_000;
// The smallest step forward that counts. What it moves lasts for minutes, so smaller ones do no harm.
const leastStepForwardMs = 10_000;
// The longest lease. A lease that seems longer was given before the clock was set back.
const longestLeaseMs = 60_000;

/** What a process remembers between two calls, to tell a clock that was set forward from passed time. */
export interface OwnLooks {
  monotonicMs(): number;
  last?: Look | undefined;
}

interface Look {
  now: number;
  /** The monotonic time before the clock was read. */
  fromMs: number;
}

const seenMs = sql`(select cast(value as bigint) from settings where name = ${sql.lit(setting)})`;

/**
 * The database's time, but the last recorded time if that is so old that the clock may have been set forward. Times
 * that `followClock` puts off are compared with it, because they look past until a process has put them off.
 */
export const followedMs = sql<number>`(select case
  when ${seenMs} < ${nowMs} - ${sql.lit(noteEveryMs + leastStepForwardMs)} then ${seenMs} else ${nowMs} end)`;

/**
 * Moves scheduled times if the database's clock was set. Returns the step in milliseconds, which is negative if the
 * clock was set back.
 */
export async function followClock(
  database: Database,
  own: OwnLooks = { monotonicMs: () => performance.now() },
): Promise<number> {
  const fromMs = own.monotonicMs();
  const { seen, now } = await look(database.read);
  const passedMs = own.last && own.monotonicMs() - own.last.fromMs;
  const stepMs = decideStep({ seen, now }, own.last, passedMs);
  if (stepMs !== 0) {
    // Only one of the processes that detect the step applies it. The others look again, because the time may only have
    // been recorded.
    const isApplied = await database.transaction(async (tx) => {
      if (!(await noteTime(tx, { seen, now }))) return false;
      await (stepMs < 0 ? bringForward(tx, -stepMs) : putOff(tx, stepMs));
      return true;
    });
    if (!isApplied) return 0;
  } else if (seen === 0 || (own.last && now - seen >= noteEveryMs)) {
    // A process that has just started does not record the time, which would hide a step forward from the others. All
    // workers record the time simultaneously, so the lock must be short.
    await writeAtOnce(database, (tx) => noteTime(tx, { seen, now }));
  }
  own.last = { now, fromMs };
  return stepMs;
}

function decideStep(
  { seen, now }: { seen: number; now: number },
  last: Look | undefined,
  passedMs = 0,
): number {
  if (seen - now > leastStepMs) return now - seen;
  if (!last) return 0;
  const forwardMs = now - last.now - passedMs;
  // If the recorded time is later than this process expected, another has followed, or only this process was suspended.
  return forwardMs > leastStepForwardMs && seen <= last.now + passedMs ? forwardMs : 0;
}

async function look(queries: Queries): Promise<{ seen: number; now: number }> {
  const { rows } = await sql<{ seen: string | null; now: number }>`
    select (select value from settings where name = ${setting}) as seen, ${nowMs} as now`.execute(queries);
  return { seen: Number(rows[0]?.seen ?? 0), now: rows[0]?.now ?? 0 };
}

/** Reads the time that a server last recorded, in milliseconds since the epoch; 0 if none did. */
export async function readSeenTime(queries: Queries): Promise<number> {
  return Number((await readSetting(queries, setting)) ?? 0);
}

/** Records `now`. Returns false if `seen` is no longer the recorded time. */
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

/**
 * Moves due times back, so that nothing runs late and no dead worker seems to run. Work scheduled since the clock was
 * set back may run early.
 */
async function bringForward(tx: Tx, ms: number): Promise<void> {
  const by = sql.lit(Math.round(ms));
  const waits = sql`worker is null and claimable_at > ${nowMs}`;
  const leased = sql`worker is not null and claimable_at > ${nowMs} + ${sql.lit(longestLeaseMs)}`;
  const updates = [
    sql`update jobs set claimable_at = claimable_at - ${by} where ${isUnderWay} and ${waits}`,
    sql`update jobs set claimable_at = claimable_at - ${by} where ${leased}`,
    sql`update deliveries set claimable_at = claimable_at - ${by} where status = 'pending' and ${waits}`,
    sql`update deliveries set claimable_at = claimable_at - ${by} where ${leased}`,
    sql`update outgoing_emails set claimable_at = claimable_at - ${by} where claimable_at > ${nowMs}`,
    sql`update idempotency_keys set held_until = held_until - ${by} where held_until > ${nowMs}`,
    sql`update unanswered_requests set expires_at = expires_at - ${by} where expires_at > ${nowMs}`,
    sql`update route_health set until = until - ${by} where until > ${nowMs}`,
    sql`update route_paces set busy_until = busy_until - ${by} where busy_until > ${nowMs}`,
    sql`update rates set at = at - ${by} where at > ${nowMs}`,
    sql`update free_credits set given_at = given_at - ${by} where given_at > ${nowMs}`,
    sql`update sign_in_limits set busy_until = busy_until - ${by} where busy_until > ${nowMs}`,
    // An open charge is sent again after some minutes, but no longer after almost a day. If it was made before the clock
    // was wrong, it now seems too old and only ends early. A charge that seems too young could be made twice.
    sql`update payments set asked_at = asked_at - ${by}, created_at = created_at - ${by}
      where state = 'open' and coalesce(asked_at, created_at) > ${nowMs}`,
    sql`update top_ups set page_opened_at = page_opened_at - ${by} where page_opened_at > ${nowMs}`,
    sql`update accounts set erasing_since = erasing_since - ${by} where erasing_since > ${nowMs}`,
    sql`update image_removals set requested_at = requested_at - ${by} where requested_at > ${nowMs}`,
    sql`update refusals set at = at - ${by} where at > ${nowMs}`,
    sql`update endpoints set failing_since = failing_since - ${by} where failing_since > ${nowMs}`,
    sql`delete from sign_in_failures where minute * 60000 > ${nowMs}`, // a moved minute might exist already
    sql`update workers set seen_at = seen_at - ${by} where seen_at > ${nowMs}`,
    sql`update processes set seen_at = seen_at - ${by} where seen_at > ${nowMs}`,
  ];
  for (const update of updates) await update.execute(tx);
}

/** Moves times later, where an early end would cost money: a repeated request would make and charge its job again. */
async function putOff(tx: Tx, ms: number): Promise<void> {
  // A request recorded since the clock was set can be repeated for longer, which does no harm.
  await sql`update unanswered_requests set expires_at = expires_at + ${sql.lit(Math.round(ms))}`.execute(tx);
}
