import type { Database } from '../../base/db/database.ts';
import { type Finding, reasonOf } from './finding.ts';

/** The largest lag of a healthy replica. The primary can write this much within moments. */
const muchBytes = 16 * 1024 * 1024;

/** Reports at most warnings, because the primary can answer instead of the replica. */
export async function checkReplica(database: Database): Promise<Finding[]> {
  const name = 'replica';
  try {
    const behind = await database.replicaLag();
    if (behind === undefined) return [];
    const found = `follows the primary, ${behind} bytes of its log behind`;
    if (behind < muchBytes) return [{ name, status: 'ok', found }];
    const next = 'see pg_stat_replication on the primary: until it has caught up, the primary answers';
    return [{ name, status: 'warn', found, next }];
  } catch (error) {
    const next = 'correct DATABASE_READ_URL, or repair the replica; until then, the primary answers';
    return [{ name, status: 'warn', found: `cannot be used: ${reasonOf(error)}`, next }];
  }
}
