import { breatheFirst } from '../std/lateness/turns.ts';
import { isPostgres } from './rows.ts';
import type { Tx } from './schema.ts';

/**
 * Writes more than fits one statement: all at once on PostgreSQL, part by part on SQLite, so that other work runs in
 * between. Others see the parts only after the commit.
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
 * Writes part by part on both databases, because building the statements takes time as well. Not for writes
 * that are sent with the commit.
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
