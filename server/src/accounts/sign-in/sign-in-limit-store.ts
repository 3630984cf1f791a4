import { sql } from 'kysely';
import { nowMs, readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** A limit whose state is one number: the time when all tries are available again (generic cell rate algorithm). */
export interface Limit {
  id: string;
  burst: number;
  /** The time after which one try becomes available again. */
  everyMs: number;
}

/** Takes one try. If none is left, returns the milliseconds to wait. */
export async function takeTry(tx: Tx, { id, burst, everyMs }: Limit): Promise<number> {
  const every = sql.lit(everyMs);
  const most = sql.lit(burst * everyMs);
  const busyUntil = sql.ref<number>('sign_in_limits.busy_until');
  // Reads the clock once for the whole statement, because each `now_ms()` may return a different time.
  const now = sql<number>`excluded.busy_until - ${every}`;
  // One statement, so that no concurrent try is missed.
  const taken = await tx
    .insertInto('sign_in_limits')
    .values({ id, busy_until: sql<number>`${nowMs} + ${every}` })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({
          busy_until: sql<number>`case when ${busyUntil} > ${now} then ${busyUntil} else ${now} end + ${every}`,
        })
        .where(sql<boolean>`${busyUntil} + ${every} <= ${now} + ${most}`),
    )
    .returning('id')
    .executeTakeFirst();
  if (taken) return 0;
  // The statement above has locked the row, so no other transaction can change or delete it.
  const { wait } = await tx
    .selectFrom('sign_in_limits')
    .select(sql<number>`busy_until + ${every} - ${nowMs} - ${most}`.as('wait'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return Math.max(1, wait); // a try may have become available since
}

export async function giveTryBack(tx: Tx, { id, everyMs }: Limit): Promise<void> {
  await tx
    .updateTable('sign_in_limits')
    .set({ busy_until: sql<number>`busy_until - ${sql.lit(everyMs)}` })
    .where('id', '=', id)
    .execute();
}

export async function forgetIdleLimits(tx: Tx, most: number): Promise<number> {
  const now = await readNow(tx);
  const result = await tx
    .deleteFrom('sign_in_limits')
    .where('id', 'in', (eb) =>
      eb.selectFrom('sign_in_limits').select('id').where('busy_until', '<', now).limit(most),
    )
    .where('busy_until', '<', now) // checked again: a try may have been taken while this waited for the row
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
