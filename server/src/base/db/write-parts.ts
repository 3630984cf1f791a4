import { breatheFirst } from '../std/lateness/turns.ts';
import { isPostgres } from './rows.ts';
import type { Tx } from './schema.ts';

/**
 * Writes more than fits one statement: at once on PostgreSQL; part by part on SQLite, which works in this thread, so
 * that other work runs in between. Nobody sees the parts before the commit.
 */
export async function writeParts<Part>(
  tx: Tx,
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  if (parts.length > 1 && !isPostgres(tx)) return writeInTurns(parts, write);
  await Promise.all(parts.map(write));
}

/**
 * Writes part by part on both databases: building the statements takes time as well. Not for writes that travel with
 * the commit.
 */
export async function writeInTurns<Part>(
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    await breatheFirst();
    await write(part);
  }
}
