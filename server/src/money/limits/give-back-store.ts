import { sql } from 'kysely';
import { rowsOf } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

export interface EndedUse {
  subjectIds: readonly string[];
  priceMicros: bigint;
  hasFailed: boolean;
  createdAt: number;
}

/** Subtracts ended jobs, and the prices of failed ones, from the use of limits. The accounts must be locked. */
export async function giveBack(tx: Tx, ended: readonly EndedUse[]): Promise<void> {
  const columns = { subject_id: 'uuid', returned: 'integer', created_at: 'integer' } as const;
  const uses = ended.flatMap(({ subjectIds, priceMicros, hasFailed, createdAt }) =>
    subjectIds.map((id) => ({
      subject_id: id,
      returned: hasFailed ? priceMicros : 0n,
      created_at: createdAt,
    })),
  );
  const back = sql`select limits.subject_id, limits.meter,
      sum(case when limits.meter = 'open' then 1 when uses.created_at >= limits.starts_at then uses.returned else 0 end) as returned
    from ${rowsOf(tx, columns, uses)} as uses join limits on limits.subject_id = uses.subject_id
    where limits.meter in ('hour', 'day', 'month', 'total', 'open') group by limits.subject_id, limits.meter`;
  await sql`update limits set used = case when limits.used > back.returned then limits.used - back.returned else 0 end
    from (${back}) as back
    where limits.subject_id = back.subject_id and limits.meter = back.meter and back.returned > 0`.execute(
    tx,
  );
}
