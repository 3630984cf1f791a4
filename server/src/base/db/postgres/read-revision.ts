import { sql } from 'kysely';
import type { Queries } from '../schema.ts';

/**
 * Names the transactions that are visible: two snapshots with the same text show the same rows. Never ask a standby,
 * which leaves out the running ones: one of them can end, and the text stays the same.
 */
export async function readRevision(read: Queries): Promise<string> {
  const { rows } = await sql<{ text: string }>`select pg_current_snapshot()::text as text`.execute(read);
  return rows[0]?.text ?? '';
}
