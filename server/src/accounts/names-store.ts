import { isAnyOf } from '../base/db/rows.ts';
import type { Queries } from '../base/db/schema.ts';

/** Reads the names of accounts or keys by id, without those that no longer exist. */
export async function readNames(
  queries: Queries,
  table: 'accounts' | 'api_keys',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom(table)
    .select(['id', 'name'])
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
