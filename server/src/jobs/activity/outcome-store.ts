import { sql } from 'kysely';
import type { Queries } from '../../base/db/schema.ts';
import { type JobErrorCode, jobErrorCodes } from '../job.ts';

export interface Outcome {
  /** The day or hour, counted since the epoch. */
  slot: number;
  model: string;
  /** Null for failed jobs. */
  durationClass: number | null;
  done: number;
  /** Failures of the service itself, without cancelled jobs and failures caused by the request. */
  failed: number;
  /** The first and the last id of the accounts with such failures. The two are the same if only one account has any. */
  failedOf: string[];
}

const ofRequests: readonly JobErrorCode[] = [
  'safety_blocked',
  'policy_refused',
  'no_image',
  'invalid_input',
  'deadline_exceeded',
  'cancelled',
];
const ours = jobErrorCodes.filter((code) => !ofRequests.includes(code));

/** Counts outcomes by hour or day, before the slot `to`. The counts lag by seconds. */
export async function countOutcomes(
  queries: Queries,
  { slotMs, from, to }: { slotMs: number; from: number; to: number },
): Promise<Outcome[]> {
  const isOurs = sql`error_code in (${sql.join(ours.map((code) => sql.lit(code)))})`;
  const isFailure = sql`status = 'failed' and ${isOurs}`;
  const failedOf = sql`case when ${isFailure} then cast(account_id as text) end`;
  const { rows } = await sql<Omit<Outcome, 'failedOf'> & { first: string | null; last: string | null }>`
    select slot, model, nullif(duration_class, -1) as "durationClass",
      coalesce(sum(case when status = 'done' then jobs end), 0) as done,
      coalesce(sum(case when ${isFailure} then jobs end), 0) as failed,
      min(${failedOf}) as first, max(${failedOf}) as last
    from activity where slot_ms = ${sql.lit(slotMs)} and slot >= ${from} and slot < ${to}
    group by slot, model, duration_class`.execute(queries);
  return rows.map(({ first, last, ...row }) => ({
    ...{ ...row, done: Number(row.done), failed: Number(row.failed) },
    failedOf: [first, last].filter((id) => id !== null),
  }));
}
