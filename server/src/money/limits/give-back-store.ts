import { type RawBuilder, sql } from 'kysely';
import { rowsOf } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

export interface EndedUse {
  subjectIds: readonly string[];
  priceMicros: bigint;
  hasFailed: boolean;
  createdAt: number;
  jobId: string;
}

/**
 * Subtracts ended jobs, and the prices of failed ones, from the use of limits. A price also goes back to the keys that
 * replaced its job's key since, which took over its use. The accounts must be locked.
 */
export async function giveBack(tx: Tx, ended: readonly EndedUse[]): Promise<void> {
  const columns = {
    subject_id: 'uuid',
    returned: 'integer',
    created_at: 'integer',
    own: 'integer',
    job_id: 'uuid',
  } as const;
  const uses = ended.flatMap(({ subjectIds, priceMicros, hasFailed, createdAt, jobId }) =>
    subjectIds.map((id) => ({
      subject_id: id,
      returned: hasFailed ? priceMicros : 0n,
      created_at: createdAt,
      own: 1n,
      job_id: jobId,
    })),
  );
  const own = rowsOf(tx, columns, uses);
  const all = ended.some(({ hasFailed }) => hasFailed) ? withSuccessors(own) : own;
  const back = sql`select limits.subject_id, limits.meter,
      sum(case when limits.meter = 'open' then uses.own when uses.created_at >= limits.starts_at then uses.returned else 0 end) as returned
    from ${all} as uses join limits on limits.subject_id = uses.subject_id
    where limits.meter in ('hour', 'day', 'month', 'total', 'open') group by limits.subject_id, limits.meter`;
  await sql`update limits set used = case when limits.used > back.returned then limits.used - back.returned else 0 end
    from (${back}) as back
    where limits.subject_id = back.subject_id and limits.meter = back.meter and back.returned > 0`.execute(
    tx,
  );
}

/**
 * A key that is rolled again passes on what it took over. A job that an old key created after the roll is its own.
 * Its first entry tells the order, because the account is locked then; the job is inserted before.
 */
function withSuccessors(own: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(with recursive passed (subject_id, returned, created_at, own, job_id) as (
      select subject_id, returned, created_at, own, job_id from ${own} as own_uses
      union all
      select successor.id, passed.returned, passed.created_at, 0, passed.job_id
      from passed join api_keys as rolled on rolled.id = passed.subject_id
        join api_keys as successor on successor.id = rolled.rolled_to and successor.created_at >= (
          select entries.created_at from entries where entries.job_id = passed.job_id and kind = 'reserve'))
    select * from passed)`;
}
