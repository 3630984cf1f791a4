import { sql } from 'kysely';
import { isPostgres, readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** A limit stored as one number, the time at which it is free again (the generic cell rate algorithm). */
export interface Limit {
  /** What is limited, such as `address 192.0.2.7`. */
  id: string;
  /** Tries allowed at once. */
  burst: number;
  /** Time after which one try is given back. */
  everyMs: number;
}

// Later tries delete expired rows, at most this many at a time.
const maxForgotten = 20;

/** Takes one try. With none left it takes nothing and returns the milliseconds to wait. */
export async function takeTry(tx: Tx, { id, burst, everyMs }: Limit): Promise<number> {
  const now = await readNow(tx);
  // A row to lock: of first tries at the same time, each would else be the only one.
  await tx
    .insertInto('sign_in_limits')
    .values({ id, busy_until: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx
    .selectFrom('sign_in_limits')
    .select('busy_until')
    .where('id', '=', id)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  const busyUntil = Math.max(row?.busy_until ?? 0, now) + everyMs;
  const waitMs = busyUntil - now - burst * everyMs;
  if (waitMs > 0) return waitMs;
  // It may have been forgotten as idle just before it was locked.
  await tx
    .insertInto('sign_in_limits')
    .values({ id, busy_until: busyUntil })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ busy_until: busyUntil }))
    .execute();
  return 0;
}

/** Gives one try back after a success. */
export async function giveTryBack(tx: Tx, { id, everyMs }: Limit): Promise<void> {
  await tx
    .updateTable('sign_in_limits')
    .set({ busy_until: sql<number>`busy_until - ${sql.lit(everyMs)}` })
    .where('id', '=', id)
    .execute();
}

/** Of those that limit nobody any more, the first few, or so many. */
export async function forgetIdleLimits(tx: Tx, most = maxForgotten): Promise<number> {
  const now = await readNow(tx);
  const result = await tx
    .deleteFrom('sign_in_limits')
    .where('id', 'in', (eb) =>
      eb.selectFrom('sign_in_limits').select('id').where('busy_until', '<', now).limit(most),
    )
    .where('busy_until', '<', now) // unless a try was taken while this waited for the row
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
