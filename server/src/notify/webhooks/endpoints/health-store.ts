import { sql } from 'kysely';
import { nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import { classOf, quantileOf } from '../../../base/std/duration-classes.ts';

const hourMs = 60 * 60 * 1000;
export const healthHours = 72;
const keptHours = 7 * 24;

// SQLite returns the time as a float.
const thisHour = sql<number>`cast(${nowMs} / ${sql.lit(hourMs)} as bigint)`;

export interface CountedAttempt {
  endpointId: string;
  outcome: 'delivered' | 'failed';
  durationMs: number;
}

export async function countAttempts(tx: Tx, attempts: readonly CountedAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const groups = Map.groupBy(
    attempts.map(({ endpointId, outcome, durationMs }) => ({
      endpoint_id: endpointId,
      outcome,
      speed: classOf(durationMs),
    })),
    (row) => Object.values(row).join(' '),
  );
  // The rows are sorted, so that two processes wait for each other instead of deadlocking.
  const rows = [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [row, ...others]]) => (row ? [{ ...row, attempts: 1 + others.length }] : []));
  const incoming = rowsOf(
    tx,
    { endpoint_id: 'uuid', outcome: 'text', speed: 'integer', attempts: 'integer' },
    rows,
  );
  // The join skips endpoints that were removed.
  await sql`insert into endpoint_hours (endpoint_id, hour, outcome, speed, attempts)
    select endpoint_id, ${thisHour}, outcome, speed, incoming.attempts from ${incoming} as incoming
      join endpoints on endpoints.id = endpoint_id where true
    on conflict (endpoint_id, hour, outcome, speed)
      do update set attempts = endpoint_hours.attempts + excluded.attempts`.execute(tx);
}

export interface HealthHour {
  at: number;
  attempts: number;
  failed: number;
  /** The median duration of successful attempts, accurate to within 10 %; null if none succeeded. */
  p50Ms: number | null;
}

/** Returns the last hours, oldest first, including hours without attempts. The last one contains `now`. */
export async function readHealth(queries: Queries, endpointId: string, now: number): Promise<HealthHour[]> {
  const last = Math.floor(now / hourMs);
  const rows = await queries
    .selectFrom('endpoint_hours')
    .select(['hour', 'outcome', 'speed', 'attempts'])
    .where('endpoint_id', '=', endpointId)
    .where('hour', '>', last - healthHours)
    .execute();
  const byHour = Map.groupBy(rows, ({ hour }) => hour);
  return Array.from({ length: healthHours }, (_, index) => {
    const hour = last - healthHours + 1 + index;
    const own = byHour.get(hour) ?? [];
    const taken = own.filter(({ outcome }) => outcome === 'delivered');
    const attempts = sum(own);
    return {
      at: hour * hourMs,
      attempts,
      failed: attempts - sum(taken),
      p50Ms: quantileOf(taken.map(toCounted), 0.5),
    };
  });
}

export async function deleteOldHealth(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('endpoint_hours')
    .where('hour', '<', sql<number>`${thisHour} - ${sql.lit(keptHours)}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function toCounted({ speed, attempts }: { speed: number; attempts: number }) {
  return { durationClass: speed, count: attempts };
}

function sum(rows: readonly { attempts: number }[]): number {
  return rows.reduce((total, { attempts }) => total + attempts, 0);
}
