import { sql } from 'kysely';
import { readNow } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

const minuteMs = 60_000;
// Failures are kept longer than the time that any query covers.
const keptMinutes = 60;

export async function addSignInFailure(tx: Tx): Promise<void> {
  const minute = Math.floor((await readNow(tx)) / minuteMs);
  await tx
    .insertInto('sign_in_failures')
    .values({ minute, failures: 1 })
    .onConflict((conflict) =>
      conflict.column('minute').doUpdateSet({ failures: sql<number>`sign_in_failures.failures + 1` }),
    )
    .execute();
  await tx
    .deleteFrom('sign_in_failures')
    .where('minute', '<', minute - keptMinutes)
    .execute();
}

export async function countSignInFailures(queries: Queries, minutes: number): Promise<number> {
  const minute = Math.floor((await readNow(queries)) / minuteMs);
  const row = await queries
    .selectFrom('sign_in_failures')
    .select(({ fn }) => fn.sum<number | null>('failures').as('failures'))
    .where('minute', '>', minute - minutes)
    .executeTakeFirst();
  return Number(row?.failures ?? 0);
}
