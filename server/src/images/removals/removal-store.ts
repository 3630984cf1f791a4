import { sql } from 'kysely';
import { isAnyOf, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

/** Records objects until their removal from the image store is certain. */
export async function insertRemovals(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const rows = rowsOf(
    tx,
    { key: 'text' },
    keys.map((key) => ({ key })),
  );
  await sql`insert into image_removals (key, requested_at) select key, ${nowMs} from ${rows} as incoming where true
    on conflict (key) do nothing`.execute(tx);
}

export async function listRemovals(
  queries: Queries,
  { minAgeMs, limit }: { minAgeMs: number; limit: number },
): Promise<string[]> {
  const rows = await queries
    .selectFrom('image_removals')
    .select('key')
    .where('requested_at', '<=', sql<number>`${nowMs} - ${sql.lit(minAgeMs)}`)
    .orderBy('requested_at')
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

export async function deleteRemovals(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('image_removals')
    .where(isAnyOf(tx, 'key', keys, 'text'))
    .execute();
}
