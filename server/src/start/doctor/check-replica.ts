import type { Database } from '../../base/db/database.ts';
import { type Finding, reasonOf } from './finding.ts';

/** A healthy replica is behind by what a moment writes. */
const muchBytes = 16 * 1024 * 1024;

/** Checks the server of DATABASE_READ_URL. The primary answers in its place, so nothing here is a failure. */
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
    const next = 'correct DATABASE_READ_URL, or put the replica right; the primary answers meanwhile';
    return [{ name, status: 'warn', found: `cannot be used: ${reasonOf(error)}`, next }];
  }
}
