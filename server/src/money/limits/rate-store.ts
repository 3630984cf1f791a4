import { sql } from 'kysely';
import { nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** A process's use of a bucket since its last report. */
export interface RateUse {
  id: string;
  taken: number;
  /** The number of requests, allowed or refused. */
  asked: number;
  burst: number;
  perSecond: number;
}

export interface RateLevel {
  id: string;
  /** Negative if the processes together took too many; the bucket then refills from below zero. */
  tokens: number;
  /** The requests to all processes since the bucket was created. */
  asked: number;
}

/** A token is a million units, so that slow rates are exact too. */
const token = 1_000_000;
const keptMs = 3_600_000;

/** Refills buckets for the time that has passed, and subtracts the use. */
export async function settleRates(tx: Tx, uses: readonly RateUse[]): Promise<RateLevel[]> {
  const columns = {
    id: 'text',
    taken: 'integer',
    asked: 'integer',
    burst: 'integer',
    per_second: 'integer',
  } as const;
  const rows = uses.map(({ id, taken, asked, burst, perSecond }) => ({
    id,
    taken: taken * token,
    asked,
    burst: Math.round(burst * token),
    per_second: Math.round(perSecond * token),
  }));
  // The debt is at most one full bucket, so that a late report does not lock out a key for long.
  const level = (tokens: string) =>
    sql.raw(
      `greatest(-excluded.burst, least(excluded.burst, ${tokens}) - (excluded.burst - excluded.micros))`,
    );
  const filled = 'rates.micros + greatest(0, excluded.at - rates.at) * excluded.per_second / 1000';
  // The rows are ordered by id, so that two processes cannot deadlock.
  const { rows: levels } = await sql<{ id: string; micros: number; asked: number }>`
    insert into rates (id, micros, burst, per_second, asked, at)
    select id, burst - taken, burst, per_second, asked, ${nowMs} from ${rowsOf(tx, columns, rows)} as used order by id
    on conflict (id) do update set micros = ${level(filled)}, burst = excluded.burst,
      per_second = excluded.per_second, asked = rates.asked + excluded.asked, at = greatest(rates.at, excluded.at)
    returning id, micros, asked`.execute(tx);
  return levels.map(({ id, micros, asked }) => ({ id, tokens: micros / token, asked }));
}

export async function sweepRates(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('rates')
    .where('at', '<', sql<number>`${nowMs} - ${sql.lit(keptMs)}`)
    .execute();
}
