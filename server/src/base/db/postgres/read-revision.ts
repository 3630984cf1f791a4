import { sql } from 'kysely';
import type { Queries } from '../schema.ts';

/** Snapshots with equal revisions show equal rows. Never ask a standby, whose revision omits running transactions. */
export async function readRevision(read: Queries): Promise<string> {
  const { rows } = await sql<{ text: string }>`select pg_current_snapshot()::text as text`.execute(read);
  return rows[0]?.text ?? '';
}
